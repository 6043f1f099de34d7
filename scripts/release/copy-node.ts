import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { ReleaseTarget } from './release-target.ts'
import { run } from './run.ts'

/** Where Node comes from: `node_modules` for the processor of this machine, otherwise the registry. */
interface NodeSource {
  /** The root of the repository. */
  readonly root: string
  /** Packages of other processors are downloaded to this folder, once. */
  readonly cacheFolder: string
}

/** Copies the target's Node into a file. @throws Error unless it has the pinned checksum */
export function copyNode(target: ReleaseTarget, file: string, source: NodeSource): void {
  const binary = findNode(target, source)
  const actual = hash('sha256', readFileSync(binary))
  if (actual !== target.nodeSha256)
    throw new Error(
      `${binary} has the SHA-256 ${actual}, not the pinned ${target.nodeSha256} (scripts/release/release-target.ts).`,
    )
  copyFileSync(binary, file)
  chmodSync(file, 0o755)
}

function findNode({ nodePackage }: ReleaseTarget, { root, cacheFolder }: NodeSource): string {
  const installed = path.join(root, 'node_modules', nodePackage, 'bin/node')
  if (existsSync(installed)) return installed
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const name = `${nodePackage}@${optionalDependencies[nodePackage]}`
  const file = path.join(cacheFolder, `${name}-node`)
  if (existsSync(file)) return file
  mkdirSync(cacheFolder, { recursive: true })
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', cacheFolder, name]
  const tarball = path.join(cacheFolder, run('npm', args, { cwd: root }).trim())
  const { stdout, status } = spawnSync('tar', ['-xzOf', tarball, 'package/bin/node'], {
    maxBuffer: 2 ** 30,
  })
  if (status !== 0) throw new Error(`${tarball} does not contain package/bin/node.`)
  writeFileSync(file, stdout)
  return file
}
