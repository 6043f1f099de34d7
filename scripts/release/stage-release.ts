import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stageCli } from '../pack/pack-cli.ts'
import { copyNode } from './copy-node.ts'
import { createSbom, type ReleaseIdentity } from './create-sbom.ts'
import { listReleaseFiles } from './release-files.ts'
import type { ReleaseTarget } from './release-target.ts'

/** What is released, from where. */
export interface ReleaseInput extends Omit<ReleaseIdentity, 'target'> {
  /** The root of the repository, which is prepared. */
  readonly root: string
  readonly cacheFolder: string
  readonly commit: string
}

/**
 * Writes a release into a folder, which is emptied first: the files of the service, its programs in `bin/`, Node, and the
 * bill of materials. Nothing in it is written to while it runs.
 */
export function stageRelease(folder: string, target: ReleaseTarget, input: ReleaseInput): void {
  const { root, version, commit, epoch } = input
  rmSync(folder, { recursive: true, force: true })
  for (const file of listReleaseFiles(root)) cpSync(path.join(root, file), path.join(folder, file))
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  copyNode(target, path.join(bin, 'node'), input)
  stageProgram(folder)
  for (const [name, program] of Object.entries(PROGRAMS)) {
    writeFileSync(path.join(bin, name), shellScript(program))
    chmodSync(path.join(bin, name), 0o755)
  }
  writeFileSync(path.join(bin, 'health.mjs'), HEALTH)
  const about = { version, commit, architecture: target.architecture, time: epoch }
  writeFileSync(path.join(folder, 'release.json'), `${JSON.stringify(about, null, 2)}\n`)
  writeFileSync(path.join(folder, 'sbom.json'), createSbom(root, { ...input, target }))
}

/** What the programs in `bin/` pass to Node; the service has the flags of `npm start`. */
export const PROGRAMS = {
  'linchpin-server': ['--max-semi-space-size=8', 'packages/server/generated/main.mjs'],
  linchpin: ['packages/cli/bin/linchpin.mjs'],
} as const

/** The command line of the npm package, where it finds the service. */
function stageProgram(folder: string): void {
  const packed = path.join(folder, 'packed-cli')
  stageCli(packed)
  const program = 'packages/cli/bin/linchpin.mjs'
  cpSync(path.join(packed, 'bin/linchpin.mjs'), path.join(folder, program))
  const providers = 'generated/providers.json'
  cpSync(path.join(packed, providers), path.join(folder, 'packages/cli', providers))
  rmSync(packed, { recursive: true })
}

function shellScript(args: readonly string[]): string {
  const file = args.at(-1)
  return `#!/bin/sh
# The folder of the release, also behind a symbolic link.
home=$(dirname "$(dirname "$(readlink -f "$0")")")
# glibc keeps memory for each thread otherwise: some 20 MB.
export MALLOC_ARENA_MAX=1
exec "$home/bin/node" ${[...args.slice(0, -1), `"$home/${file}"`].join(' ')} "$@"
`
}

/** Exits with 0 when the service of this machine is ready: the health check of the container. */
const HEALTH = `const url = \`http://127.0.0.1:\${process.env.PORT || 3000}/health/ready\`
const response = await fetch(url, { signal: AbortSignal.timeout(4_000) }).catch(({ cause, message }) => {
  console.error(cause?.message ?? message)
})
if (response) console.log(response.status, await response.text())
process.exit(response?.ok ? 0 : 1)
`
