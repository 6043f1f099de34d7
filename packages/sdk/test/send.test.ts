import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { inspect } from 'node:util'
import { type StubServer, startStubServer } from '../../server/test/stub-server.ts'
import {
  isLinchpinError,
  Linchpin,
  LinchpinConnectionError,
  LinchpinError,
  LinchpinTimeoutError,
} from '../src/index.ts'
import { getRetryDelayMs } from '../src/send.ts'

const TOKEN = 'lp_PLANTED'
const USER = '/api/v1/user'

describe('A call', () => {
  let server: StubServer
  let linchpin: Linchpin
  let keys: unknown[]
  before(async () => {
    server = await startStubServer()
    linchpin = new Linchpin({ baseUrl: `${server.url}/`, token: TOKEN })
  })
  beforeEach(() => {
    keys = []
    server.requests.length = 0
  })
  after(() => server.close())

  /** Serves the responses of a path in this order; the last one repeats. */
  function serve(path: string, ...responses: ((response: ServerResponse) => unknown)[]): void {
    let count = 0
    server.serve(path, (request: IncomingMessage, response) => {
      keys.push(request.headers['idempotency-key'])
      responses[Math.min(count++, responses.length - 1)]?.(response)
    })
  }

  const ok = (response: ServerResponse) => response.end('{"userId":"usr_1"}')
  const fail =
    (status: number, error: string, headers: Record<string, string> = {}) =>
    (response: ServerResponse) =>
      response
        .writeHead(status, { 'x-request-id': 'req-1', ...headers })
        .end(JSON.stringify({ error, message: 'It failed.', errors: { a: [] }, extra: 1 }))
  const drop = (response: ServerResponse) => response.destroy()
  const soon = { 'retry-after': '0' }

  for (const [status, code] of [
    [408, 'request_timeout'],
    [429, 'rate_limited'],
    [502, 'integration_timeout'],
    [503, 'shutting_down'],
    [504, 'provider_timeout'],
    [409, 'idempotency_in_progress'],
  ] as const)
    it(`is retried after ${status} ${code}`, async () => {
      serve(USER, fail(status, code, soon), ok)
      assert.equal((await linchpin.users.getCurrent()).userId, 'usr_1')
      assert.equal(server.requests.length, 2)
    })

  for (const [status, code] of [
    [400, 'validation_failed'],
    [409, 'concurrent_update'],
    [424, 'needs_reauth'],
    [500, 'internal_error'],
  ] as const)
    it(`is not retried after ${status} ${code}`, async () => {
      serve(USER, fail(status, code, soon), ok)
      await assert.rejects(linchpin.users.getCurrent(), { code, status, isRetryable: false })
      assert.equal(server.requests.length, 1)
    })

  it('that creates something has the same key in each attempt, and another one in the next call', async () => {
    serve('/api/v1/workspace', fail(503, 'overloaded', soon), fail(429, 'rate_limited', soon), ok)
    await linchpin.workspaces.create()
    await linchpin.workspaces.create()
    const [first, second, third, fourth] = keys
    assert.match(String(first), /^[0-9a-f-]{36}$/)
    assert.deepEqual([second, third], [first, first])
    assert.notEqual(fourth, first)
  })

  it('uses the key of its options', async () => {
    serve('/api/v1/workspace', ok)
    await linchpin.workspaces.create({}, { idempotencyKey: 'order-1' })
    assert.deepEqual(keys, ['order-1'])
  })

  it('is sent again when the connection was closed', async () => {
    serve('/api/v1/workspace', drop, ok)
    await linchpin.workspaces.create()
    assert.equal(keys.length, 2)
    assert.equal(keys[0], keys[1])
  })

  it('ends after three retries with the last error', async () => {
    serve(USER, fail(503, 'overloaded', soon))
    await assert.rejects(linchpin.users.getCurrent(), { code: 'overloaded', status: 503 })
    assert.equal(server.requests.length, 4)
  })

  it('does not wait for longer than a minute', async () => {
    serve(USER, fail(429, 'rate_limited', { 'retry-after': '61' }))
    await assert.rejects(linchpin.users.getCurrent(), { retryAfterMs: 61_000 })
    assert.equal(server.requests.length, 1)
  })

  it('that gets no response throws a LinchpinConnectionError without the token', async () => {
    serve(USER, drop)
    const error = await linchpin.users.getCurrent({ maxRetries: 0 }).catch((one) => one)
    assert.ok(error instanceof LinchpinConnectionError)
    assert.ok(!inspect(error, { depth: 10 }).includes(TOKEN))
  })

  it('that takes too long throws a LinchpinTimeoutError', async () => {
    serve(USER, () => {})
    const options = { timeoutMs: 30, maxRetries: 0 }
    await assert.rejects(linchpin.users.getCurrent(options), LinchpinTimeoutError)
  })

  it('whose body takes too long throws a LinchpinTimeoutError', async () => {
    serve(USER, (response) => response.writeHead(200).write('{'))
    const options = { timeoutMs: 50, maxRetries: 0 }
    await assert.rejects(linchpin.users.getCurrent(options), LinchpinTimeoutError)
  })

  it('ends with the reason of its signal: before, during and between attempts', async () => {
    const reason = new Error('stopped')
    serve(USER, (response) => void response)
    await assert.rejects(linchpin.users.getCurrent({ signal: AbortSignal.abort(reason) }), reason)
    assert.equal(server.requests.length, 0)
    const during = new AbortController()
    setTimeout(() => during.abort(reason), 20)
    await assert.rejects(linchpin.users.getCurrent({ signal: during.signal }), reason)
    serve(USER, fail(503, 'overloaded', { 'retry-after': '30' }))
    const between = new AbortController()
    setTimeout(() => between.abort(reason), 20)
    await assert.rejects(linchpin.users.getCurrent({ signal: between.signal }), reason)
  })

  it('that returns a stream has no timeout after its head, and still ends with its signal', async () => {
    const reason = new Error('stopped')
    let finish = () => {}
    serve('/api/v1/audit/export', (response) => {
      response.writeHead(200).write('first')
      finish = () => response.end('last')
    })
    const whole = await linchpin.audit.export({}, { timeoutMs: 200 })
    setTimeout(() => finish(), 300)
    assert.equal(await whole.text(), 'firstlast')
    const controller = new AbortController()
    const part = await linchpin.audit.export({}, { signal: controller.signal })
    setTimeout(() => controller.abort(reason), 20)
    await assert.rejects(part.text(), reason)
  })

  it('throws unexpected_response for a page of something in front of the service', async () => {
    serve(USER, (response) => response.writeHead(200).end('<html>'))
    await assert.rejects(linchpin.users.getCurrent(), { code: 'unexpected_response', status: 200 })
    serve(USER, (response) => response.writeHead(301, { location: 'https://a.example/' }).end())
    await assert.rejects(linchpin.users.getCurrent(), { code: 'unexpected_response', status: 301 })
    serve(USER, (response) => response.writeHead(500).end('null'))
    await assert.rejects(linchpin.users.getCurrent(), { code: 'unexpected_response', status: 500 })
  })

  it('accepts fields and codes that this version does not know', async () => {
    serve(USER, (response) => response.end('{"userId":"usr_1","new":1}'))
    assert.equal((await linchpin.users.getCurrent()).userId, 'usr_1')
    serve(USER, fail(418, 'a_code_of_tomorrow'))
    const error = await linchpin.users.getCurrent().catch((one) => one)
    assert.ok(isLinchpinError(error) && !isLinchpinError(error, 'needs_reauth'))
    const { code, status, requestId, errors, message } = error
    assert.deepEqual(
      { code, status, requestId, errors, message },
      {
        code: 'a_code_of_tomorrow',
        status: 418,
        requestId: 'req-1',
        errors: { a: [] },
        message: 'It failed.',
      },
    )
  })

  it('throws for an ID that would change the path', async () => {
    for (const id of ['', '.', '..'])
      assert.throws(() => linchpin.accounts.delete(id), { name: 'TypeError' })
    server.serve('/api/v1/link/..%2Fuser', (_request, response) => ok(response))
    await linchpin.links.get('../user')
    assert.deepEqual(server.requests, ['GET /api/v1/link/..%2Fuser'])
  })
})

describe('The delay before a retry', () => {
  it('is random below 0.5, 1, 2, 4 and then 8 seconds', () => {
    const error = new LinchpinConnectionError('')
    const longest = [0, 1, 2, 3, 4, 9].map((attempt) =>
      Math.max(...Array.from({ length: 2_000 }, () => getRetryDelayMs(error, attempt) ?? 0)),
    )
    for (const [index, limit] of [500, 1_000, 2_000, 4_000, 8_000, 8_000].entries())
      assert.ok((longest[index] ?? 0) <= limit && (longest[index] ?? 0) > 0.9 * limit)
  })

  it('is what Retry-After says, in seconds or as a date', async () => {
    const server = await startStubServer()
    const linchpin = new Linchpin({ baseUrl: server.url, token: TOKEN, maxRetries: 0 })
    for (const [value, limits] of [
      ['7', [7_000, 7_000]],
      [new Date(Date.now() + 30_000).toUTCString(), [20_000, 30_000]],
      [new Date(0).toUTCString(), [0, 0]],
      ['soon', [undefined, undefined]],
    ] as const) {
      server.serve(USER, (_request, response) =>
        response.writeHead(503, { 'retry-after': value }).end(),
      )
      const { retryAfterMs } = await linchpin.users.getCurrent().catch((one) => one)
      if (limits[0] === undefined) assert.equal(retryAfterMs, undefined)
      else assert.ok(retryAfterMs >= limits[0] && retryAfterMs <= limits[1], value)
    }
    await server.close()
  })

  it('does not exist for other errors', () => {
    assert.equal(getRetryDelayMs(new TypeError(), 0), undefined)
  })
})

describe('new Linchpin()', () => {
  it('rejects a base URL and a token that cannot be used, without their values', () => {
    for (const baseUrl of ['', 'connect.example.com', 'ftp://a', 'https://a.example/?b=c'])
      assert.throws(() => new Linchpin({ baseUrl, token: TOKEN }), /^TypeError: baseUrl/)
    for (const token of ['', `${TOKEN}\n`, `${TOKEN} `])
      assert.throws(
        () => new Linchpin({ baseUrl: 'https://a.example', token }),
        (error: Error) => error instanceof TypeError && !error.message.includes('PLANTED'),
      )
  })

  it('names the environment variable that is probably not set', () => {
    const unset = undefined as unknown as string
    for (const missing of ['', unset]) {
      const create = (options: { baseUrl?: string; token?: string }) => () =>
        new Linchpin({ baseUrl: 'https://a.example', token: TOKEN, ...options })
      assert.throws(create({ baseUrl: missing }), /baseUrl is missing. Is LINCHPIN_URL set\?/)
      assert.throws(create({ token: missing }), /token is missing. Is LINCHPIN_TOKEN set\?/)
    }
  })

  it('does not reveal the token when it is printed', () => {
    const linchpin = new Linchpin({ baseUrl: 'https://a.example', token: TOKEN })
    assert.ok(!inspect(linchpin, { depth: 10, showHidden: true }).includes(TOKEN))
    assert.ok(!JSON.stringify(linchpin).includes(TOKEN))
  })

  it('has errors that are instances of Error with their names', () => {
    const details = { code: 'a', status: 400, errors: {}, requestId: undefined }
    const error = new LinchpinError('b', { ...details, retryAfterMs: undefined })
    assert.equal(String(error), 'LinchpinError: b')
    assert.equal(String(new LinchpinTimeoutError('c')), 'LinchpinTimeoutError: c')
    assert.ok(!isLinchpinError({ name: 'LinchpinError', code: 'a' }))
  })
})
