import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWhenChanged, filesBelow, runBuildScript } from '../../scripts/build-when-changed.mjs'

const own = fileURLToPath(import.meta.url)
const here = path.dirname(own)
const root = path.join(here, '../..')
const output = path.join(here, 'generated')
const folders = [
  path.join(here, 'src'),
  path.join(here, 'entries'),
  path.join(here, 'published'),
  path.join(here, 'icons'),
  path.join(here, '../kit/src'),
]

/**
 * Builds all integrations into `generated/{key}/{version}/index.js`, and `generated/registry.json` with their digests and
 * specs, if their inputs have changed. Runs on Node 20 and later. Resolves to whether it built.
 * @returns {Promise<boolean>}
 */
export async function buildCatalogue() {
  const sources = await filesBelow(
    folders,
    (name) => !/\.(?:test\.ts|fixtures\.(?:json|ts))$/.test(name),
  )
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'))
  return buildWhenChanged({
    root: here,
    inputs: [...sources, own],
    versions: lock.packages['node_modules/esbuild']?.version,
    outputs: [path.join(output, 'registry.json'), path.join(output, 'runtimes.json')],
    stamp: path.join(output, 'catalogue.hash'),
    build,
  })
}

async function build() {
  const script = path.join(here, 'src/build/write-catalogue.ts')
  runBuildScript(root, script, output, 'the catalogue could not be built')
}

if (process.argv[1] && path.resolve(process.argv[1]) === own) await buildCatalogue()
