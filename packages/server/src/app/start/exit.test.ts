import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { it } from 'node:test'
import { getExitCode, printStartupError } from './exit.ts'

it('printStartupError: a system error is a sentence, such as that of a full disk, and a restart may help', async (t) => {
  const printed = t.mock.method(console, 'error', () => {})
  const error = await writeFile('/dev/full', 'x').catch((each: unknown) => each)
  printStartupError(error)
  assert.deepEqual(
    printed.mock.calls.map(({ arguments: [text] }) => text),
    ['Linchpin cannot start: ENOSPC: no space left on device, write'],
  )
  assert.equal(getExitCode(error), 1)
})
