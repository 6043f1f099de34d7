import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildWhenChanged, filesBelow } from '../../scripts/build-when-changed.mjs'

const own = fileURLToPath(import.meta.url)
const here = path.dirname(own)
const guest = path.join(here, 'generated/guest.js')
const output = path.join(here, 'generated/base-image.bin')

/**
 * Runs the guest script once in the engine and stores its memory in `generated/base-image.bin`, when one of them has
 * changed: a runner child that finds it need not run the script. Returns whether it built.
 * @returns {Promise<boolean>}
 */
export async function buildBaseImage() {
  const sources = await filesBelow(
    [path.join(here, 'src/sandbox')],
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  return buildWhenChanged({
    root: here,
    inputs: [guest, path.join(here, 'generated/quickjs.wasm'), ...sources, own],
    outputs: [output],
    stamp: path.join(here, 'generated/base-image.hash'),
    async build() {
      const temporary = `${output}.${process.pid}.tmp`
      const program = path.join(here, 'src/sandbox/write-base-image.ts')
      // Like a runner child, without an environment: variables would be part of the memory.
      const args = ['--no-warnings', program, guest, temporary]
      await promisify(execFile)(modernNode(), args, { env: {} })
      await rename(temporary, output)
    },
  })
}

/** `scripts/prepare.mjs` runs on Node 20 as well, which cannot run TypeScript. */
function modernNode() {
  const packaged = path.join(here, '../../node_modules/.bin/node')
  return existsSync(packaged) ? packaged : process.execPath
}

if (process.argv[1] && path.resolve(process.argv[1]) === own) await buildBaseImage()
