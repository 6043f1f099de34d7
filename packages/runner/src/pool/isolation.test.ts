import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { BUSY_MACHINE_OPTIONS } from '../../test/busy-machine-options.ts'
import { createBundle, wrapInMain } from '../../test/hostile/harness.ts'
import {
  createEgressGateway,
  createRunner,
  parseAllowList,
  type Runner,
  RunnerError,
} from '../index.ts'

const QUIET_TENANT = { workspaceId: 'quiet', definitionId: 'd', linkId: 'l' }

describe('a hostile workspace beside a quiet one', () => {
  let runner: Runner
  let url = ''
  const busyPeriods: { readonly from: number; readonly to: number }[] = []
  let isHanging = true
  const hangingResponses: ServerResponse[] = []
  const server = createServer((request, response) => {
    const [, from, to] = /^\/stretch\?(\d+)-(\d+)$/.exec(request.url ?? '') ?? []
    if (from !== undefined) busyPeriods.push({ from: Number(from), to: Number(to) })
    if (request.url === '/hang' && isHanging) hangingResponses.push(response)
    else response.end(request.url === '/large' ? 'x'.repeat(1e6) : 'ok')
  })
  const ok = createBundle(wrapInMain('return (await fetch(params.url)).status'))
  const runQuiet = () =>
    runner.run({ bundle: ok, tenant: QUIET_TENANT, command: 'CHECK', params: { url } })
  const runHostile = (body: string, workspaceId: string, options: object = {}) =>
    runner.run({
      bundle: createBundle(wrapInMain(body)),
      tenant: { workspaceId },
      command: 'CHECK',
      params: { url },
      ...options,
    })

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    url = `http://127.0.0.1:${port}/`
    const egressGateway = createEgressGateway({ allow: parseAllowList(`127.0.0.1:${port}`) })
    const { niceness } = BUSY_MACHINE_OPTIONS
    runner = createRunner({ egressGateway, children: 2, waitingMemoryMb: 512, niceness })
    await runner.ready()
    await runQuiet()
  })
  after(async () => {
    await runner.close()
    server.closeAllConnections()
    server.close()
  })

  it('leaves slots for others with 32 hanging calls; the rest is rejected at once with a retry time', async () => {
    const limits = { wallMs: 120_000 }
    const errors: RunnerError[] = []
    const hang = () =>
      runHostile(`await fetch(params.url + 'hang')`, 'hangs', { limits }).catch((error) => {
        errors.push(error)
      })
    const calls = Array.from({ length: 32 }, hang)
    await waitFor(() => runner.stats().lanes.checks.waiting >= 8)
    for (let at = 0; at < 10; at++) assert.equal((await runQuiet()).value, 200)
    assert.ok(runner.stats().lanes.checks.waiting <= 17, 'at most half of 32 slots')
    await waitFor(() => errors.length >= 16)
    for (const error of errors) {
      assert.equal(error.code, 'overloaded')
      assert.ok((error.retryAfterMs ?? 0) >= 1_000, String(error.retryAfterMs))
    }
    // No slot becomes free before that, so these calls are rejected without waiting.
    await Promise.all([hang(), hang()])
    assert.ok(runner.stats().lanes.checks.refused >= 2)
    assert.ok(runner.stats().lanes.checks.waiting > 0)
    isHanging = false
    for (const response of hangingResponses) response.end('ok')
    await Promise.all(calls)
    assert.equal(runner.stats().restarts, 0)
  })

  it('cannot delay quiet calls with ten spinning bundles that differ by a comment', async () => {
    let finishedCount = 0
    const spins = Array.from({ length: 10 }, (_, at) =>
      runHostile(`/* ${at} */ for (;;) {}`, 'spins', { limits: { cpuMs: 800 } }).then(
        () => assert.fail('it spins'),
        (error) => {
          assert.ok(['integration_timeout', 'overloaded'].includes(error.code), error.code)
          if (error.code === 'integration_timeout') finishedCount++
        },
      ),
    )
    for (let at = 0; at < 10; at++) assert.equal((await runQuiet()).value, 200)
    assert.ok(finishedCount <= 3, `${finishedCount} spinning calls ended first`)
    await Promise.all(spins)
    assert.ok(runner.stats().preemptions > 0)
    assert.ok(runner.stats().throttledWorkspaces >= 1)
    assert.equal(runner.stats().restarts, 0)
  })

  it('still gets results while it is throttled', async () => {
    assert.equal((await runHostile('return 7', 'spins')).value, 7)
  })

  it('restarts a call that computed too long, isolated, if it has sent only GET, and never after POST', async () => {
    // By count: on a busy machine, a loop of a second may use little CPU time.
    const cpuBoundCode = `const compute = () => { for (let count = 0; count < 2e7; count++); };`
    const requests: string[] = []
    const recordMethod = (request: { method?: string }) => requests.push(request.method ?? '')
    server.on('request', recordMethod)
    const body = (method: string) =>
      `${cpuBoundCode} await fetch(params.url, { method: '${method}' }); compute(); return 1`
    const before = runner.stats().preemptions
    assert.equal((await runHostile(body('GET'), 'computes')).value, 1)
    assert.deepEqual(requests, ['GET', 'GET'])
    assert.equal(runner.stats().preemptions, before + 1)
    requests.length = 0
    assert.equal((await runHostile(body('POST'), 'computes too')).value, 1)
    assert.deepEqual(requests, ['POST'])
    server.off('request', recordMethod)
  })

  it('gets fewer slots for calls that use much memory, which are isolated', async () => {
    const allocatingCode = `const arrays = Array.from({ length: 40 }, () => new Uint8Array(1e6).fill(1))
      await new Promise((resolve) => setTimeout(resolve, 1500)); return arrays.length`
    const calls = Array.from({ length: 24 }, (_, at) =>
      runHostile(`/* ${at} */ ${allocatingCode}`, 'hungry').catch((error) => {
        assert.equal(error.code, 'overloaded')
      }),
    )
    for (let at = 0; at < 10; at++) assert.equal((await runQuiet()).value, 200)
    await Promise.all(calls)
    await runHostile(
      'const arrays = []; for (;;) arrays.push(new Uint8Array(1e6).fill(1))',
      'hungry',
    ).catch((error) =>
      assert.ok(['integration_limit', 'overloaded'].includes(error.code), error.code),
    )
    const throttled = runner.stats().throttledWorkspaces
    assert.ok(throttled >= 2, `${throttled} workspaces are throttled`)
  })

  it('waits its turn with calls that load many large responses', async () => {
    const flood = `await Promise.all(Array.from({ length: 24 }, () =>
      fetch(params.url + 'large').then((answer) => answer.text()))); return 1`
    let finishedCount = 0
    const calls = Array.from({ length: 6 }, (_, at) =>
      runHostile(`/* ${at} */ ${flood}`, 'floods').then(
        () => finishedCount++,
        (error) => assert.ok(error instanceof RunnerError, String(error)),
      ),
    )
    for (let at = 0; at < 5; at++) assert.equal((await runQuiet()).value, 200)
    assert.ok(finishedCount <= 4, `${finishedCount} floods ended first`)
    await Promise.all(calls)
  })

  it('leaves a child process to other workspaces while its calls compute without a pause', async () => {
    // Short enough for a shared child: longer stretches are throttled, longer calls are preempted.
    const busyCode = `for (let round = 0; round < 2; round++) {
      const from = Date.now()
      while (Date.now() < from + 30);
      await fetch(params.url + 'stretch?' + from + '-' + Date.now())
    }`
    await runQuiet()
    let isFinished = false
    const loops = Array.from({ length: 12 }, async () => {
      while (!isFinished) await runHostile(busyCode, 'busy')
    })
    await waitFor(() => busyPeriods.length >= 10)
    for (let at = 0; at < 20; at++) assert.equal((await runQuiet()).value, 200)
    isFinished = true
    await Promise.all(loops)
    // A child computes for one call at a time, so stretches overlap only if they are in two children.
    const sorted = busyPeriods.toSorted((a, b) => a.from - b.from)
    const overlaps = sorted.filter(({ from }, at) => from < (sorted[at - 1]?.to ?? 0) - CLOCK_MS)
    assert.deepEqual(overlaps, [])
  })

  it('runs HEADERS in a separate lane while checks use all of their slots', async () => {
    const waits = 'await new Promise((resolve) => setTimeout(resolve, 1500)); return 1'
    const calls = 'abcdefgh'
      .split('')
      .flatMap((workspaceId) =>
        Array.from({ length: 16 }, () => runHostile(waits, `lane ${workspaceId}`).catch(() => {})),
      )
    await waitFor(() => runner.stats().lanes.checks.waiting >= 24)
    const headers = {
      bundle: ok,
      tenant: QUIET_TENANT,
      command: 'HEADERS',
      params: { url },
    } as const
    for (let at = 0; at < 5; at++) assert.equal((await runner.run(headers)).value, 200)
    assert.ok(runner.stats().lanes.checks.waiting > 0, 'the checks are still waiting')
    assert.equal(runner.stats().lanes.credentials.refused, 0)
    await Promise.all(calls)
  })
})

/** The clock of a bundle is coarse. */
const CLOCK_MS = 4

async function waitFor(condition: () => boolean): Promise<void> {
  const end = Date.now() + 60_000
  while (!condition()) {
    assert.ok(Date.now() < end, `timed out waiting for ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
