import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'

describe('RunnerProcess', () => {
  it('keeps the service alive from kill until its exit, even if its last call ends meanwhile', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--no-warnings', '--input-type=module', '--eval', PROGRAM],
      { encoding: 'utf8', timeout: 60_000 },
    )
    assert.equal(status, 0, stderr)
    assert.equal(stdout, 'exited\n')
  })
})

/** Node.js ends a process with status 13 if its module waits for something that does not keep it alive. */
const PROGRAM = `
  import { spawn } from 'node:child_process'
  import { RunnerProcess } from ${JSON.stringify(new URL('./child-channel.ts', import.meta.url).href)}
  const child = spawn('sleep', ['60'], { detached: true, stdio: ['pipe', 'pipe', 'inherit', 'pipe', 'pipe'] })
  const events = { message() {}, protocolError() {}, startTimedOut() {}, exited() {} }
  const runnerProcess = new RunnerProcess(child, events, 60_000)
  runnerProcess.kill()
  runnerProcess.unref()
  await runnerProcess.exited
  console.log('exited')
`
