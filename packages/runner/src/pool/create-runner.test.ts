import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BUSY_MACHINE_OPTIONS } from '../../test/busy-machine-options.ts'
import { createBundle, wrapInMain } from '../../test/hostile/harness.ts'
import {
  createEgressGateway,
  createRunner,
  type EgressGateway,
  parseAllowList,
  type Runner,
} from '../index.ts'

/** 20 in `npm run proof -- memory`. */
const MEMORY_HUNDREDS = Number(process.env.MEMORY_CALLS ?? 800) / 100
const TENANT = { workspaceId: 'workspace' }

describe('createRunner', () => {
  let egressGateway: EgressGateway
  let runner: Runner
  let url = ''
  const tenants: unknown[] = []
  const server = createServer((request, response) => {
    const status = Number(request.url?.slice(1))
    if (status === 0) return
    response.writeHead(status || 200, { 'x-twice': ['a', 'b'] }).end(`you said ${request.method}`)
  })

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    url = `http://127.0.0.1:${port}`
    egressGateway = createEgressGateway({ allow: parseAllowList(`127.0.0.1:${port}`) })
    const observedGateway: EgressGateway = {
      ...egressGateway,
      request(request, policy) {
        tenants.push(policy.tenant)
        return egressGateway.request(request, policy)
      },
    }
    runner = createRunner({
      egressGateway: observedGateway,
      children: 2,
      limits: { cpuMs: 1_000, wallMs: 3_000 },
      ...BUSY_MACHINE_OPTIONS,
    })
  })
  after(async () => {
    await runner.close()
    await egressGateway.close()
    server.closeAllConnections()
    server.close()
  })

  const run = (body: string, params: Record<string, unknown> = {}) =>
    runner.run({ bundle: createBundle(wrapInMain(body)), tenant: TENANT, command: 'CHECK', params })

  it('passes command and params to the bundle and returns its result', async () => {
    const params = { config: { a: ['\u20ac', null, 1.5] } }
    const { value } = await runner.run({
      bundle: createBundle(wrapInMain('return { command, params }')),
      tenant: TENANT,
      command: 'HEADERS',
      params,
    })
    assert.deepEqual(value, { command: 'HEADERS', params })
  })

  it('loads the code of a bundle at most once per child', async () => {
    let loads = 0
    const inner = createBundle(wrapInMain('return "counted"'))
    const load = () => {
      loads++
      return inner.load()
    }
    const call = {
      bundle: { ...inner, load },
      tenant: TENANT,
      command: 'SPEC',
      params: {},
    } as const
    await Promise.all(Array.from({ length: 12 }, () => runner.run(call)))
    for (let at = 0; at < 5; at++) await runner.run(call)
    assert.ok(loads >= 1 && loads <= 2, `loaded ${loads} times`)
  })

  it('fails with the error of `load` when the code is unavailable', async () => {
    const bundle = { sha256: 'f'.repeat(64), load: () => Promise.reject(new Error('disk is gone')) }
    const call = { bundle, tenant: TENANT, command: 'SPEC', params: {} } as const
    await assert.rejects(runner.run(call), { message: 'disk is gone' })
    assert.equal((await run('return 1')).value, 1)
  })

  it('reports how the last request ended', async () => {
    const createFetchCode = (path: string) => `try { await fetch('${path}') } catch {} return 1`
    assert.equal((await run('return 1')).lastExchange, 'none')
    assert.equal((await run(createFetchCode(`${url}/200`))).lastExchange, 'answered')
    assert.equal((await run(createFetchCode(`${url}/401`))).lastExchange, 'answered')
    assert.equal((await run(createFetchCode(`${url}/429`))).lastExchange, 'rate_limited')
    assert.equal((await run(createFetchCode(`${url}/503`))).lastExchange, 'server_error')
    assert.equal((await run(createFetchCode('http://10.0.0.1/'))).lastExchange, 'refused')
    const responsesCode = `${createFetchCode(`${url}/503`).replace('return 1', '')} ${createFetchCode(`${url}/200`)}`
    assert.equal((await run(responsesCode)).lastExchange, 'answered')
  })

  it('reports the status of the last response', async () => {
    const createFetchCode = (path: string) => `try { await fetch('${path}') } catch {} return 1`
    assert.equal((await run('return 1')).lastStatus, undefined)
    assert.equal((await run(createFetchCode(`${url}/401`))).lastStatus, 401)
    const refusedLast = `${createFetchCode(`${url}/401`).replace('return 1', '')} ${createFetchCode('http://10.0.0.1/')}`
    assert.equal((await run(refusedLast)).lastStatus, undefined)
    const thrown = `${createFetchCode(`${url}/404`).replace('return 1', '')} throw new Error('no')`
    await assert.rejects(run(thrown), { lastStatus: 404, lastExchange: 'answered' })
  })

  it('fails a request early enough for the bundle to report it', async () => {
    const { value, lastExchange } = await run(
      `return fetch('${url}/0').catch((error) => error.code ?? error.cause?.code)`,
    )
    assert.deepEqual({ value, lastExchange }, { value: 'ETIMEDOUT', lastExchange: 'timeout' })
  })

  it('reports that the last request timed out when the call ended before its response', async () => {
    const call = run(
      `fetch('${url}/0').catch(() => {}); await new Promise((r) => setTimeout(r, 1e6))`,
    )
    await assert.rejects(call, { code: 'integration_timeout', lastExchange: 'timeout' })
  })

  it('restricts the bundle to the hosts in its spec', async () => {
    const code = wrapInMain(
      `return fetch('${url}/200').then((r) => r.status, (e) => e.cause?.code ?? e.code)`,
    )
    const call = {
      bundle: createBundle(code),
      tenant: TENANT,
      command: 'CHECK',
      params: {},
    } as const
    const rejectedResult = await runner.run({ ...call, hosts: ['api.example.com'] })
    assert.deepEqual(rejectedResult, {
      value: 'ENOTFOUND',
      lastExchange: 'refused',
      lastStatus: undefined,
      lastRequestId: undefined,
      isDeterministic: false,
    })
    assert.equal((await runner.run({ ...call, hosts: ['127.0.0.1'] })).value, 200)
  })

  it('passes the tenant of the call to the egress gateway with each request', async () => {
    const bundle = createBundle(
      wrapInMain(`await fetch('${url}/200'); return fetch('${url}/404').then(() => 1)`),
    )
    const tenant = { workspaceId: 'w', definitionId: 'd', linkId: 'l' }
    tenants.length = 0
    await runner.run({ bundle, tenant, command: 'CHECK', params: {} })
    assert.deepEqual(tenants, [tenant, tenant])
  })

  it('scrubs the config from the texts of a CHECK, but not from the data of other commands', async () => {
    const bundle = createBundle(
      wrapInMain('return { status: false, error: "no: " + params.config.key }'),
    )
    const params = { config: { key: 'a-long-secret' } }
    const check = await runner.run({ bundle, tenant: TENANT, command: 'CHECK', params })
    assert.deepEqual(check.value, { status: false, error: 'no: [removed]' })
    const headers = await runner.run({ bundle, tenant: TENANT, command: 'HEADERS', params })
    assert.deepEqual(headers.value, { status: false, error: 'no: a-long-secret' })
  })

  it('returns the known keys of a check result, 2,000 characters of each text, and nothing else', async () => {
    const checkResult =
      '{ status: false, error: "x".repeat(9e5), hint: ["a"], field: null, retryable: true, stack: "s" }'
    const bundle = createBundle(wrapInMain(`return ${checkResult}`))
    const { value } = await runner.run({ bundle, tenant: TENANT, command: 'CHECK', params: {} })
    const error = 'x'.repeat(2_000)
    assert.deepEqual(value, { status: false, error, field: null, retryable: true })
  })

  it('omits the message of a bundle when the config has too many values to search for', async () => {
    const params = { config: { keys: Array.from({ length: 1_001 }, (_, at) => `key-${at}`) } }
    const rejecting = createBundle(
      wrapInMain('return { status: false, error: "no: " + params.config.keys[7] }'),
    )
    const check = await runner.run({ bundle: rejecting, tenant: TENANT, command: 'CHECK', params })
    assert.deepEqual(check.value, { status: false })
    const thrown = createBundle(wrapInMain('throw new Error("no: " + params.config.keys[7])'))
    await assert.rejects(runner.run({ bundle: thrown, tenant: TENANT, command: 'CHECK', params }), {
      message: 'The integration failed.',
    })
  })

  it('explains how to build a bundle that is an ES module', async () => {
    const call = {
      bundle: createBundle('export default () => {}'),
      tenant: TENANT,
      command: 'SPEC',
      params: {},
    } as const
    await assert.rejects(runner.run(call), { code: 'bundle_invalid', message: /format: 'cjs'/ })
  })

  it('includes at most 500 characters of the message of an error', async () => {
    await assert.rejects(run('throw new TypeError("x is odd")'), {
      code: 'integration_failed',
      message: 'The integration failed: TypeError: x is odd',
    })
    const long = await run('throw new Error("y".repeat(5000))').catch((error) => error)
    assert.ok(long.message.length > 500 && long.message.length < 560)
  })

  it('fails with overloaded when too many calls are queued', async () => {
    const calls = Array.from({ length: 260 }, () =>
      run('await new Promise((r) => setTimeout(r, 20)); return 1'),
    )
    const settled = await Promise.allSettled(calls)
    const rejectedResult = settled.filter((each) => each.status === 'rejected')
    assert.ok(
      rejectedResult.length > 0 && rejectedResult.length <= 60,
      `${rejectedResult.length} refused`,
    )
    assert.ok(
      rejectedResult.every(
        (each) => each.status === 'rejected' && each.reason.code === 'overloaded',
      ),
    )
  })

  it('makes a workspace with spinning calls wait for its own calls, not other workspaces', async () => {
    const spinner = createBundle(wrapInMain('for (;;) {}'))
    const tenant = { workspaceId: 'spins' }
    const spin = () => {
      const call = {
        bundle: spinner,
        tenant,
        command: 'CHECK',
        params: {},
        limits: { cpuMs: 200 },
      } as const
      return assert.rejects(runner.run(call), { code: 'integration_timeout' })
    }
    await spin()
    let ended = 0
    const spinOnce = () => spin().finally(() => ended++)
    const spinning = Promise.all(Array.from({ length: 8 }, spinOnce))
    for (let at = 0; at < 4; at++) await run('return 1')
    assert.ok(ended <= 4, `${ended} of 8 spinning calls ended first`)
    await spinning
  })

  it('validates patterns', async () => {
    const patternResults = await runner.testPatterns(
      [
        { pattern: '^a+$', value: 'aaa' },
        { pattern: '^a+$', value: 'b' },
        { pattern: '(' },
        { pattern: '\\p{L}', value: '\u00e9' },
        { pattern: '\\-', value: '-' },
        { pattern: 'any' },
      ],
      TENANT,
    )
    assert.deepEqual(patternResults, ['match', 'no_match', 'invalid', 'match', 'match', 'match'])
  })

  it('stops a pattern that never ends', async () => {
    const test = { pattern: '^(a+)+$', value: `${'a'.repeat(40)}b` }
    const tenant = { workspaceId: 'slow-patterns' }
    await assert.rejects(runner.testPatterns([test], tenant), { code: 'integration_timeout' })
  })

  it('has constant memory over hundreds of calls', async () => {
    const bundle = createBundle(wrapInMain('return Array.from({ length: 100 }, (_, i) => ({ i }))'))
    const call = { bundle, tenant: TENANT, command: 'RUN', params: {} } as const
    const measureHundredsOfCalls = async (count: number) => {
      for (let at = 0; at < count; at++) {
        await Promise.all(Array.from({ length: 100 }, () => runner.run(call)))
      }
      collectGarbage()
      const { heapUsed, external } = process.memoryUsage()
      return (heapUsed + external) / 1024 / 1024
    }
    const before = await measureHundredsOfCalls(MEMORY_HUNDREDS / 4)
    const grown = (await measureHundredsOfCalls((MEMORY_HUNDREDS * 3) / 4)) - before
    assert.ok(grown < 8, `grew by ${grown} MB`)
    assert.equal(runner.stats().restarts, 0, 'no child was replaced because of its memory')
  })
})

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
