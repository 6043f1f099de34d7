import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const LOOP = fileURLToPath(new URL('./agent-loop.ts', import.meta.url))

describe('node examples/agent-loop.ts', () => {
  it('runs an agent that reads, writes, and is denied what no rule allows', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [LOOP], { timeout: 120_000 })
    for (const line of [
      /^Tools: list_accounts, describe_account, read_api, write_api, connect_account$/m,
      /"body":\{"tickets":\[\{"id":"ticket_1","title":"Printer on fire"\}\]\}/,
      /^Created ticket_4\. Not deleted: No rule of the agent session allows it, and it may write\.$/m,
    ])
      assert.match(stdout, line)
  })
})
