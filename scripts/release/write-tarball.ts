import path from 'node:path'
import { run } from './run.ts'

/** Flags of GNU tar that make archives of equal files equal on every machine, for every user, at any time. */
export function listReproducibleTarFlags(epoch: number): readonly string[] {
  return [
    ...['--sort=name', `--mtime=@${epoch}`, '--owner=0', '--group=0', '--numeric-owner'],
    ...['--mode=u=rwX,go=rX', '--format=ustar'],
  ]
}

/** Packs a folder, with its name, into a tarball. */
export function writeTarball(folder: string, file: string, epoch: number): void {
  const flags = [...listReproducibleTarFlags(epoch), '-I', 'gzip -n -6', '-cf', file]
  run('tar', [...flags, path.basename(folder)], {
    cwd: path.dirname(folder),
    env: { LC_ALL: 'C', TZ: 'UTC' },
  })
}
