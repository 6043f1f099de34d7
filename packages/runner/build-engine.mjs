import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWhenChanged, filesBelow, replaceFile } from '../../scripts/build-when-changed.mjs'
import { instrumentModule } from './instrument/instrument-module.mjs'

const own = fileURLToPath(import.meta.url)
const here = path.dirname(own)
const output = path.join(here, 'generated/quickjs.wasm')

/**
 * Instruments the package's QuickJS into `generated/quickjs.wasm`, when its inputs changed. Runs on Node 20 and later.
 * Returns whether it built.
 * @returns {Promise<boolean>}
 */
export async function buildEngine() {
  const original = fileURLToPath(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'))
  const programs = await filesBelow([path.join(here, 'instrument')], (name) =>
    /^[\w-]+\.mjs$/.test(name),
  )
  return buildWhenChanged({
    root: here,
    inputs: [...programs, own, original],
    outputs: [output],
    stamp: path.join(here, 'generated/quickjs.hash'),
    async build() {
      await replaceFile(output, instrumentModule(await readFile(original)))
    },
  })
}

if (process.argv[1] && path.resolve(process.argv[1]) === own) await buildEngine()
