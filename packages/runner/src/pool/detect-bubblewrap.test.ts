import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const skip = process.platform === 'linux' && existsSync('/usr/bin/bwrap') ? false : 'no bubblewrap'

/** Detects bubblewrap while all descriptors are in use, and again after they were closed. */
const SCRIPT = `
  import { closeSync, openSync } from 'node:fs'
  import { detectBubblewrap } from ${JSON.stringify(new URL('detect-bubblewrap.ts', import.meta.url))}
  const open = []
  try { for (;;) open.push(openSync('/dev/null')) } catch {}
  const describe = (sandbox) => sandbox === undefined ? 'none' : 'found'
  const first = await detectBubblewrap(process.execPath).then(describe, (error) => error.code)
  for (const descriptor of open) closeSync(descriptor)
  const second = await detectBubblewrap(process.execPath).then(describe, (error) => error.code)
  process.stdout.write(JSON.stringify([first, second]), () => process.exit())
`

describe('detectBubblewrap', { skip }, () => {
  it('forgets a failure for want of descriptors, instead of running without the sandbox', async () => {
    const undisturbed = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      `
      import { detectBubblewrap } from ${JSON.stringify(new URL('detect-bubblewrap.ts', import.meta.url))}
      console.log((await detectBubblewrap(process.execPath)) === undefined ? 'none' : 'found')`,
    ])
    const limited = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath]
    const { stdout } = await promisify(execFile)(
      '/bin/sh',
      [...[...limited, '--input-type=module', '-e', SCRIPT]],
      { cwd: fileURLToPath(new URL('.', import.meta.url)) },
    )
    assert.deepEqual(JSON.parse(stdout), ['EMFILE', undisturbed.stdout.trim()])
  })
})
