import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { programEnvironment, programPath } from '../../../test/program-environment.ts'

const MAIN = programPath('main')

describe('The limit of file descriptors', () => {
  let child: ChildProcess
  let folder: string
  let output = ''
  const sockets: Socket[] = []
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'linchpin-fd-'))
    child = spawn('/bin/sh', ['-c', 'ulimit -n 64 && exec "$0" "$1"', process.execPath, MAIN], {
      env: { ...programEnvironment(), PORT: '0', LINCHPIN_DATA_DIR: folder },
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data) => {
        output += String(data)
      })
  })
  after(async () => {
    for (const socket of sockets) socket.destroy()
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })

  it('is logged when connections exhaust it; the service recovers when they close', async (context) => {
    const timeout = 60_000
    const findPort = () => /listens on http:\/\/localhost:(\d+)/.exec(output)?.[1]
    await context.waitFor(() => assert.ok(findPort(), output), { timeout })
    const port = Number(findPort())
    for (let count = 0; count < 100; count++) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      sockets.push(socket)
      await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    }
    await context.waitFor(() => assert.match(output, /no file descriptor is left/), {
      timeout: 20_000,
    })
    // Longer than the interval of any timer that inspects the process.
    await sleep(7_000)
    assert.equal(child.exitCode, null, output)
    for (const socket of sockets) socket.destroy()
    await context.waitFor(
      async () => assert.equal((await fetch(`http://127.0.0.1:${port}/health/live`)).status, 200),
      { timeout },
    )
  })
})
