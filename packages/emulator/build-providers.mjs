import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWhenChanged, filesBelow, runBuildScript } from '../../scripts/build-when-changed.mjs'

const own = fileURLToPath(import.meta.url)
const here = path.dirname(own)
const root = path.join(here, '../..')
const catalogue = path.join(here, '../catalogue')
const output = path.join(here, 'generated/providers.json')

/**
 * Writes what the emulator serves to `generated/providers.json`, if the evidence, the fixtures or the names in the catalogue have changed.
 * Runs on Node 20 and later, after the catalogue has been built. Resolves to whether it built.
 * @returns {Promise<boolean>}
 */
export async function buildProviders() {
  const facts = await filesBelow(
    [path.join(catalogue, 'evidence'), path.join(catalogue, 'entries')],
    () => true,
  )
  const sources = await filesBelow([path.join(here, 'src')], (name) => !name.endsWith('.test.ts'))
  return buildWhenChanged({
    root,
    inputs: [...facts, ...sources, path.join(catalogue, 'generated/registry.json'), own],
    outputs: [output],
    stamp: path.join(here, 'generated/providers.hash'),
    build,
  })
}

async function build() {
  const script = path.join(here, 'src/build/write-providers.ts')
  runBuildScript(root, script, output, 'the providers of the emulator could not be written')
}

if (process.argv[1] && path.resolve(process.argv[1]) === own) await buildProviders()
