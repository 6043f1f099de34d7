import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWhenChanged, filesBelow } from '../../scripts/build-when-changed.mjs'
import { bundleProgram } from '../../scripts/bundle-program.mjs'

const own = fileURLToPath(import.meta.url)
const here = path.dirname(own)
const root = path.join(here, '../..')
const output = path.join(here, 'generated/sandbox.mjs')

/**
 * Bundles the program of the runner children with its packages into `generated/sandbox.mjs`, if its inputs have changed: a
 * child starts in a third of the CPU time, and reads no other code. Runs on Node 20 and later.
 * @returns {Promise<boolean>} whether it built
 */
export async function buildSandbox() {
  const sources = await filesBelow([path.join(here, 'src')], (name) =>
    /(?<!\.test)\.ts$/.test(name),
  )
  const bundler = path.join(root, 'scripts/bundle-program.mjs')
  return buildWhenChanged({
    root: here,
    inputs: [...sources, own, bundler, path.join(root, 'package-lock.json')],
    outputs: [output],
    stamp: path.join(here, 'generated/sandbox.hash'),
    build: () => bundleProgram(path.join(here, 'src/sandbox/main.ts'), output),
  })
}

if (process.argv[1] && path.resolve(process.argv[1]) === own) await buildSandbox()
