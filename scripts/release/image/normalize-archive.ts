import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { run } from '../run.ts'
import { listReproducibleTarFlags } from '../write-tarball.ts'

/** What the archive says about its image. */
interface ArchiveOptions {
  readonly epoch: number
  /** The name with the tag. */
  readonly name: string
}

/**
 * Writes an image archive of buildah again, without the ID of its container, which is random: the archive and the ID of the
 * image are the same every time.
 */
export function normalizeArchive(archive: string, file: string, options: ArchiveOptions): void {
  const folder = `${archive}.unpacked`
  mkdirSync(folder)
  run('tar', ['-xf', archive, '-C', folder], { cwd: path.dirname(archive) })
  const [{ Config, Layers }] = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'))
  const { container: _random, ...config } = JSON.parse(
    readFileSync(path.join(folder, Config), 'utf8'),
  )
  const text = JSON.stringify(config)
  const configName = `${hash('sha256', text)}.json`
  const manifest = [{ Config: configName, RepoTags: [options.name], Layers }]
  const contents = `${archive}.contents`
  mkdirSync(contents)
  for (const layer of Layers) renameSync(path.join(folder, layer), path.join(contents, layer))
  writeFileSync(path.join(contents, configName), text)
  writeFileSync(path.join(contents, 'manifest.json'), JSON.stringify(manifest))
  rmSync(file, { force: true })
  const names = ['manifest.json', configName, ...Layers]
  run('tar', [...listReproducibleTarFlags(options.epoch), '-cf', file, '-C', contents, ...names], {
    cwd: path.dirname(archive),
    env: { LC_ALL: 'C' },
  })
}
