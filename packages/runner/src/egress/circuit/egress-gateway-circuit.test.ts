import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Cleanup,
  createBundlePolicy,
  expectEgressError,
  openEgressGateway,
  serve,
  serveTcp,
} from '../../../test/egress/egress-test-support.ts'
import { CircuitOpenError, type EgressGateway, type EgressPolicy } from '../egress.ts'

const QUICK = { timeoutMs: 250 }
/** Shortest timeout that counts against a host. */
const CIRCUITS = { minTimeoutMs: 200 }

describe('the egress gateway at a host that never responds', () => {
  it('rejects requests of the workspace at once after three timeouts, and of no other workspace', async (test) => {
    const { egressGateway, url, seen: requests } = await start(test)
    const refusal = await openCircuit(egressGateway, `${url}/hang`, 'w1')
    assert.ok(refusal.retryAfterMs > 0 && refusal.retryAfterMs <= 10_000)
    const before = requests.length
    await assert.rejects(
      egressGateway.request(get(`${url}/fine`), createPolicy('w1')),
      CircuitOpenError,
    )
    await assert.rejects(egressGateway.stream(get(`${url}/fine`), stream('w1')), CircuitOpenError)
    assert.equal(requests.length, before, 'the rejected requests were not sent')
    assert.equal((await egressGateway.request(get(`${url}/fine`), createPolicy('w2'))).status, 200)
    const { open, opened, refused } = egressGateway.circuits()
    assert.deepEqual([open, opened, refused >= 3], [1, 1, true])
  })

  it("counts a TLS handshake that never completes, and a deadline of the service's own request", async (test) => {
    const tls = await serveTcp(test, () => {})
    const egressGateway = openEgressGateway(test, { circuits: CIRCUITS })
    const sendRequest = () =>
      expectEgressError(
        egressGateway.request(get(`https://127.0.0.1:${tls}/`), createPolicy('w1', 9_000)),
      )
    assert.equal(
      (await Promise.all([sendRequest(), sendRequest(), sendRequest()]))[0]?.code,
      'unreachable',
    )
    assert.equal((await sendRequest()).code, 'circuit_open')
    const { url } = await start(test)
    const createSlowPolicy = () => ({
      ...createPolicy('w1', 9_000),
      signal: AbortSignal.timeout(250),
    })
    assert.ok(await openCircuit(egressGateway, `${url}/hang`, 'w1', createSlowPolicy))
  })

  it('does not count responses of any status, rejections, broken connections or aborts by the caller', async (test) => {
    const { egressGateway, url } = await start(test)
    for (const path of ['500', '429', 'reset', 'hang-up']) {
      for (let count = 0; count < 4; count += 1) {
        const abortController = new AbortController()
        const signal = path === 'hang-up' ? abortController.signal : undefined
        const target = path === 'hang-up' ? '/hang' : `/${path}`
        const request = egressGateway.request(get(`${url}${target}`), {
          ...createPolicy('w1', 9_000),
          signal,
        })
        setTimeout(() => abortController.abort(), 220)
        await request.catch((error) => assert.notEqual(error.code, 'circuit_open', path))
      }
    }
    assert.deepEqual(egressGateway.circuits(), { open: 0, opened: 0, refused: 0 })
  })

  it('counts neither slow uploads nor responses that are long or read slowly', async (test) => {
    const { egressGateway, url } = await start(test)
    for (let count = 0; count < 4; count += 1) {
      const body = new Readable({ read() {} })
      body.push('the first bytes')
      const slow = egressGateway.stream(
        { ...get(`${url}/hang`), method: 'POST', body },
        stream('w1'),
      )
      assert.equal((await expectEgressError(slow)).code, 'timeout')
      const long = await egressGateway.stream(get(`${url}/endless`), stream('w1'))
      await new Promise((closed) => long.body.onEnd(closed))
    }
    assert.deepEqual(egressGateway.circuits(), { open: 0, opened: 0, refused: 0 })
  })

  it('rejects requests of all workspaces once three circuits are open and the host does not respond to the node either', async (test) => {
    const { egressGateway, url, seen: requests } = await start(test, { isSilent: true })
    for (const workspace of ['w1', 'w2', 'w3'])
      await openCircuit(egressGateway, `${url}/hang`, workspace)
    const isRefused = async () =>
      (await expectEgressError(egressGateway.request(get(`${url}/fine`), createPolicy('w4'))))
        .code === 'circuit_open'
    for (let attempt = 0; attempt < 40 && !(await isRefused()); attempt += 1) await sleep(100)
    assert.ok(await isRefused())
    assert.ok(requests.includes('HEAD /'), 'the node probed the host itself')
  })

  it('stays open to other workspaces while three workspaces wait for slow responses of a working host', async (test) => {
    const { egressGateway, url, seen: requests } = await start(test)
    for (const workspace of ['w1', 'w2', 'w3'])
      await openCircuit(egressGateway, `${url}/hang`, workspace)
    for (let attempt = 0; attempt < 100 && !requests.includes('HEAD /'); attempt += 1)
      await sleep(50)
    await sleep(50)
    assert.equal(
      (await egressGateway.request(get(`${url}/fine`), createPolicy('victim'))).status,
      200,
    )
  })

  it('visitors of a link cannot open the circuit of the workspace', async (test) => {
    const { egressGateway, url } = await start(test)
    const tenant = { workspaceId: 'w1', linkId: 'lnk_1' }
    await openCircuit(egressGateway, `${url}/hang`, 'w1', () =>
      createBundlePolicy({ ...QUICK, tenant }),
    )
    assert.equal((await egressGateway.request(get(`${url}/fine`), createPolicy('w1'))).status, 200)
    const visitor = egressGateway.request(
      get(`${url}/fine`),
      createBundlePolicy({ ...QUICK, tenant }),
    )
    await assert.rejects(visitor, CircuitOpenError)
  })

  it('hanging requests of one workspace leave connections for the others', async (test) => {
    const { egressGateway, url } = await start(test)
    const abortController = new AbortController()
    const hangingRequests = Array.from({ length: 140 }, () =>
      expectEgressError(
        egressGateway.request(get(`${url}/hang`), {
          ...createPolicy('w1', 60_000),
          signal: abortController.signal,
        }),
      ),
    )
    const other = egressGateway.request(get(`${url}/fine`), createPolicy('w2', 20_000))
    assert.equal((await other).status, 200)
    abortController.abort()
    await Promise.all(hangingRequests)
  })
})

async function start(test: Cleanup, { isSilent = false } = {}) {
  const requests: string[] = []
  const port = await serve(test, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (!isSilent) respond(request.url ?? '', response)
  })
  return {
    egressGateway: openEgressGateway(test, { circuits: CIRCUITS }),
    url: `http://127.0.0.1:${port}`,
    seen: requests,
  }
}

function respond(path: string, response: ServerResponse): void {
  if (path === '/hang') return
  if (path === '/reset') return void response.destroy()
  if (path === '/endless') return void response.writeHead(200).write('the first bytes')
  response.writeHead(Number(path.slice(1)) || 200).end('done')
}

/** Sends requests until one is rejected: on a busy machine not every timeout counts. */
async function openCircuit(
  egressGateway: EgressGateway,
  url: string,
  workspaceId: string,
  rules: () => EgressPolicy = () => createPolicy(workspaceId),
): Promise<CircuitOpenError> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const error = await expectEgressError(egressGateway.request(get(url), rules()))
    if (error instanceof CircuitOpenError) return error
    assert.equal(error.code, rules().signal === undefined ? 'timeout' : 'aborted')
  }
  throw new Error('the circuit did not open')
}

function get(url: string) {
  return { method: 'GET', url }
}

function createPolicy(workspaceId: string, timeoutMs = QUICK.timeoutMs): EgressPolicy {
  return createBundlePolicy({ timeoutMs, tenant: { workspaceId } })
}

function stream(workspaceId: string) {
  return { ...createPolicy(workspaceId), idleMs: 2_000 }
}
