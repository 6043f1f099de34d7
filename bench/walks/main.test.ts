import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

it('npm run walks: no request makes a reader walk further than its limit', async () => {
  const program = fileURLToPath(new URL('./main.ts', import.meta.url))
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', program], {
    env,
  })
  assert.match(stdout, /\| create account through link \| \d+ \|/)
})
