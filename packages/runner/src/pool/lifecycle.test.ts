import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { BUSY_MACHINE_OPTIONS } from '../../test/busy-machine-options.ts'
import { createBundle, wrapInMain } from '../../test/hostile/harness.ts'
import { isAlive, processTree } from '../../test/process-tree.ts'
import {
  createEgressGateway,
  createRunner,
  parseAllowList,
  type Runner,
  type RunnerError,
} from '../index.ts'

const TENANT = { workspaceId: 'workspace' }

describe('the life cycle of runner children', () => {
  const pids: number[] = []
  let runner: Runner
  let url = ''
  let requestMethods: string[] = []
  const server = createServer((request, response) => {
    requestMethods.push(request.method ?? '')
    if (holdsResponses) heldResponses.push(response)
    else response.end('ok')
  })
  let holdsResponses = false
  const heldResponses: ServerResponse[] = []
  /** Holds the response of the next request, and resolves when the call in the child waits for it. */
  const waitForHeldRequest = async () => {
    requestMethods = []
    holdsResponses = true
    await waitFor(() => requestMethods.length === 1 && runner.stats().lanes.checks.waiting === 1)
    holdsResponses = false
  }
  const start = (children: number) => {
    pids.length = 0
    const { port } = server.address() as AddressInfo
    const egressGateway = createEgressGateway({ allow: parseAllowList(`127.0.0.1:${port}`) })
    runner = createRunner({
      egressGateway,
      children,
      ...BUSY_MACHINE_OPTIONS,
      log: (_level, _message, detail) => typeof detail?.pid === 'number' && pids.push(detail.pid),
    })
  }
  const requestBundle = (method: string) =>
    createBundle(wrapInMain(`return (await fetch('${url}', { method: '${method}' })).status`))
  const run = (bundle: ReturnType<typeof createBundle>) =>
    runner.run({ bundle, tenant: TENANT, command: 'CHECK', params: {} })

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterEach(() => runner.close())
  after(() => {
    for (const response of heldResponses) response.destroy()
    server.close()
  })

  it('replaces a child that does not start in time, and leaves none of its processes behind', async () => {
    pids.length = 0
    const timedOutPids: number[] = []
    runner = createRunner({
      egressGateway: createEgressGateway({ allow: [] }),
      children: 1,
      startTimeoutMs: 5,
      log: (_level, message, detail) => {
        if (message === 'killed a runner child: it did not start')
          timedOutPids.push(Number(detail?.pid))
      },
    })
    await waitFor(() => runner.stats().restarts >= 2)
    await runner.close()
    assert.ok(timedOutPids.length >= 2)
    assert.deepEqual(timedOutPids.filter(isAlive), [])
  })

  it('retries a call whose child was killed, if it has sent only GET requests', async () => {
    start(1)
    const call = run(requestBundle('GET'))
    await waitForHeldRequest()
    process.kill(pids[0] ?? 0, 'SIGKILL')
    assert.equal((await call).value, 200)
    assert.deepEqual(requestMethods, ['GET', 'GET'])
    assert.equal(runner.stats().restarts, 1)
  })

  it('fails a call whose child was lost after a POST, instead of sending the POST twice', async () => {
    start(1)
    const call = run(requestBundle('POST'))
    await waitForHeldRequest()
    process.kill(pids[0] ?? 0, 'SIGKILL')
    await assert.rejects(call, (error: RunnerError) => {
      assert.equal(error.code, 'overloaded')
      assert.ok((error.retryAfterMs ?? 0) > 0)
      return true
    })
    assert.deepEqual(requestMethods, ['POST'])
    assert.equal((await run(requestBundle('GET'))).value, 200, 'the next call runs in a new child')
  })

  it('fails the call that computed when its child was lost, and retries the one beside it', async () => {
    start(1)
    const waiting = run(requestBundle('GET'))
    await waitForHeldRequest()
    const spinning = run(createBundle(wrapInMain('for (;;) {}')))
    const failed = assert.rejects(spinning, { code: 'integration_failed' })
    await pause(200)
    process.kill(pids[0] ?? 0, 'SIGKILL')
    await failed
    assert.equal((await waiting).value, 200)
  })

  it('kills a stuck child, fails its calls with a timeout and continues', async () => {
    start(1)
    await runner.ready()
    const call = runner.run({
      bundle: createBundle(wrapInMain('await new Promise((resolve) => setTimeout(resolve, 1e6))')),
      tenant: TENANT,
      command: 'CHECK',
      params: {},
      limits: { wallMs: 500 },
    })
    for (const pid of processTree(pids[0] ?? 0)) process.kill(pid, 'SIGSTOP')
    await assert.rejects(call, { code: 'integration_timeout' })
    assert.equal((await run(createBundle(wrapInMain('return 1')))).value, 1)
    assert.equal(runner.stats().restarts, 1)
  })

  it('leaves no process behind when the runner is closed, whatever its children do', async () => {
    start(2)
    await waitFor(() => runner.stats().children === 2)
    await runner.ready()
    const spinning = run(createBundle(wrapInMain('for (;;) {}')))
    const rejection = assert.rejects(spinning)
    await pause(200)
    const processIds = pids.flatMap((pid) => processTree(pid))
    assert.ok(processIds.length >= 2)
    await runner.close()
    await rejection
    await waitFor(() => !processIds.some(isAlive))
    await assert.rejects(run(createBundle(wrapInMain('return 1'))), { code: 'overloaded' })
  })

  it('leaves no process behind when the service itself is killed', async () => {
    start(1)
    const file = fileURLToPath(new URL('../../test/host-process.ts', import.meta.url))
    const host = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(host.stdout, 'data')
    const processIds = processTree(Number(String(line).trim()))
    assert.ok(processIds.length >= 1 && processIds.every(isAlive))
    host.kill('SIGKILL')
    await waitFor(() => !processIds.some(isAlive))
  })
})

async function waitFor(condition: () => boolean): Promise<void> {
  const end = Date.now() + 60_000
  while (!condition()) {
    assert.ok(Date.now() < end, `timed out waiting for ${condition}`)
    await pause(10)
  }
}
