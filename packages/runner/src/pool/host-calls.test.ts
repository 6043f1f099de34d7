import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createBundle, wrapInMain } from '../../test/hostile/harness.ts'
import {
  type BundleCall,
  createEgressGateway,
  createRunner,
  type DeclaredDeps,
  type EgressGateway,
  parseAllowList,
  type Runner,
  type RunnerError,
} from '../index.ts'

/** What an integration does in this process. Its bundle returns that it ran in the sandbox. */
type Run = (deps: DeclaredDeps, config: { readonly [name: string]: string }) => Promise<unknown>

const SANDBOX_BUNDLE = createBundle(wrapInMain('return "in the sandbox"'))

describe('an integration that is data', () => {
  let server: Server
  let url: string
  let respond: RequestListener
  let methods: string[] = []
  let egressGateway: EgressGateway
  const origins = new AsyncLocalStorage<string>()
  const sentBy: (string | undefined)[] = []
  before(async () => {
    server = createServer((request, response) => {
      methods.push(request.method ?? '')
      respond(request, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const gateway = createEgressGateway({ allow: parseAllowList('127.0.0.0/8') })
    egressGateway = {
      ...gateway,
      request(...request) {
        sentBy.push(origins.getStore())
        return gateway.request(...request)
      },
    }
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await egressGateway.close()
  })

  /** Runs it in a runner of its own, which ends with the test. */
  async function withRunner<T>(run: Run, use: (start: Start, runner: Runner) => Promise<T>) {
    methods = []
    const runner = createRunner({
      egressGateway,
      maxQueuedMs: 60_000,
      waitingMemoryMb: 16 * 12,
      findDeclared: () => ({
        run: (_command, params, deps) => run(deps, (params.config ?? {}) as { token: string }),
      }),
    })
    const start: Start = (call = {}) =>
      runner.run({
        bundle: SANDBOX_BUNDLE,
        tenant: { workspaceId: 'w' },
        command: 'RUN',
        params: { config: { token: 'the-secret-token' } },
        ...call,
      })
    try {
      return await use(start, runner)
    } finally {
      await runner.close()
    }
  }
  type Start = (call?: Partial<BundleCall>) => ReturnType<Runner['run']>
  const read = async ({ fetch }: DeclaredDeps) => (await fetch(url)).text()
  const reply =
    (body: string): RequestListener =>
    (_request, response) =>
      response.writeHead(200, { 'x-request-id': 'r-1' }).end(body)

  it('runs without a child, with the async context of its caller', async () => {
    respond = reply('hello')
    await withRunner(read, async (start, runner) => {
      const result = await origins.run('job 7', () => start())
      assert.deepEqual(result, {
        value: 'hello',
        lastExchange: 'answered',
        lastStatus: 200,
        lastRequestId: 'r-1',
        isDeterministic: false,
      })
      assert.equal(sentBy.at(-1), 'job 7')
      assert.equal(runner.stats().children, 0)
      assert.equal(runner.stats().lanes.checks.started, 1)
    })
  })

  it('reaches only the hosts of its spec', async () => {
    await withRunner(read, async (start) => {
      const call = start({ hosts: ['api.example.com'] })
      await assert.rejects(call, { code: 'integration_failed', lastExchange: 'refused' })
      assert.deepEqual(methods, [])
    })
  })

  it('has the time, requests and result size of a bundle', async () => {
    const wait: Run = (deps) => deps.wait(60_000)
    await withRunner(wait, (start) =>
      assert.rejects(start({ limits: { wallMs: 300 } }), {
        code: 'integration_timeout',
        isConclusive: false,
      }),
    )
    respond = () => {}
    await withRunner(read, (start) =>
      assert.rejects(start({ limits: { wallMs: 800 } }), {
        code: 'integration_failed',
        lastExchange: 'timeout',
      }),
    )
    respond = reply('x'.repeat(1_000))
    const readThrice: Run = async (deps) => [await read(deps), await read(deps), await read(deps)]
    await withRunner(readThrice, async (start) => {
      await assert.rejects(start({ limits: { requests: 2 } }), { code: 'integration_failed' })
      assert.equal(methods.length, 2)
      await assert.rejects(start({ limits: { resultBytes: 2_000 } }), { code: 'integration_limit' })
    })
    const post: Run = async ({ fetch }) =>
      fetch(url, { method: 'POST', body: 'x'.repeat(20) }).catch(({ cause }) => cause.code)
    await withRunner(post, async (start) => {
      const { value } = await start({ limits: { requestBytes: 10 } })
      assert.equal(value, 'ERR_LIMIT_REQUEST_SIZE')
      assert.deepEqual(methods, [])
    })
  })

  it('has no value of the configuration in its errors and check results', async () => {
    const fail: Run = async (_deps, { token }) => {
      throw new Error(`${token} is wrong`)
    }
    await withRunner(fail, (start) =>
      assert.rejects(start(), { message: 'The integration failed: [removed] is wrong' }),
    )
    const refuse: Run = async (_deps, { token }) => ({ status: false, error: token, more: token })
    await withRunner(refuse, async (start) => {
      const { value } = await start({ command: 'CHECK' })
      assert.deepEqual(value, { status: false, error: '[removed]' })
    })
  })

  it('moves to the sandbox when a body takes long to parse, unless it has sent a POST', async () => {
    const bodies = {
      'more than 1 MiB': 'x'.repeat(1024 * 1024 + 1),
      'many values': `[${'1,'.repeat(60_000)}1]`,
      'deep nesting': `${'['.repeat(200)}${']'.repeat(200)}`,
    }
    const post: Run = async ({ fetch }) =>
      fetch(url, { method: 'POST' }).catch(({ cause }) => cause.code)
    for (const [title, body] of Object.entries(bodies)) {
      respond = reply(body)
      await withRunner(read, async (start, runner) => {
        assert.equal((await start()).value, 'in the sandbox', title)
        assert.equal(runner.stats().children, 1)
      })
      await withRunner(post, async (start, runner) => {
        assert.equal((await start()).value, 'ERR_RESPONSE_TOO_LARGE', title)
        assert.equal(runner.stats().children, 0)
        assert.deepEqual(methods, ['POST'])
      })
    }
  })

  it('runs in the sandbox with a configuration of more than 64 kB', async () => {
    await withRunner(read, async (start) => {
      const config = { token: 'x'.repeat(65_536) }
      assert.equal((await start({ params: { config } })).value, 'in the sandbox')
    })
  })

  it('leaves room for another workspace while its provider hangs, and is rejected beyond that', async () => {
    respond = (request, response) => {
      if (request.url === '/fast') response.end('fast')
    }
    const readPath: Run = async ({ fetch }, { path }) => (await fetch(url + path)).text()
    await withRunner(readPath, async (start, runner) => {
      const slow = Array.from({ length: 30 }, () =>
        start({ params: { config: { path: 'slow' } }, limits: { wallMs: 3_000 } }).then(
          () => 'ended',
          (error: RunnerError) => error.code,
        ),
      )
      const tenant = { workspaceId: 'neighbour' }
      const { value } = await start({ tenant, params: { config: { path: 'fast' } } })
      assert.equal(value, 'fast')
      assert.ok(runner.stats().lanes.checks.waiting <= 6)
      const codes = await Promise.all(slow)
      assert.ok(codes.includes('overloaded'))
      assert.ok(codes.includes('integration_failed'))
      assert.equal(runner.stats().running, 0)
    })
  })

  it('fails when the runner closes', async () => {
    respond = () => {}
    await withRunner(read, async (start, runner) => {
      const rejected = assert.rejects(start(), { code: 'overloaded' })
      await runner.close()
      await rejected
    })
  })
})
