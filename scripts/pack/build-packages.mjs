// The packages that a service offers for installation. Plain JavaScript: it runs on Node 20 and later.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWhenChanged, filesBelow } from '../build-when-changed.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const output = path.join(root, 'packages/server/generated/packages')
const folders = [
  ...['sdk/src', 'sdk/published', 'client/src', 'client/published', 'cli/src'],
  // What the command line has of the service.
  ...['server/src/app/operator', 'server/src/activity/audit'],
].map((folder) => path.join(root, 'packages', folder))

/** Packs the SDK, the client and the command line into `packages/server/generated/packages`, if their inputs have changed. */
export async function buildPackages() {
  const sources = await filesBelow(folders, (name) => /(?<!\.test)\.ts$/.test(name))
  const scripts = await filesBelow([path.join(root, 'scripts/pack')], (name) =>
    /^[\w-]+\.(?:ts|mjs)$/.test(name),
  )
  const manifests = ['sdk', 'client', 'cli'].flatMap((name) =>
    ['package.json', 'README.md'].map((file) => path.join(root, 'packages', name, file)),
  )
  return buildWhenChanged({
    root,
    inputs: [...sources, ...scripts, ...manifests],
    outputs: ['sdk', 'client', 'cli'].map((name) => path.join(output, `${name}.tgz`)),
    stamp: path.join(output, 'packages.hash'),
    build,
  })
}

async function build() {
  await mkdir(output, { recursive: true })
  // The scripts need Node 24, which a clone has even if another Node runs this.
  const installed = path.join(root, 'node_modules/.bin/node')
  const node = existsSync(installed) ? installed : process.execPath
  const script = path.join(root, 'scripts/pack/pack-served.ts')
  const { status } = spawnSync(node, ['--no-warnings', script, output], { stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error('The packages of the service could not be packed: see above.')
}
