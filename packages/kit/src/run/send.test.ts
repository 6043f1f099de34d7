import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CheckFailure } from '../spec/check-failure.ts'
import { type LocalServer, startLocalServer } from '../test/local-server.ts'
import { createSend } from './create-context.ts'

describe('sendRequest', () => {
  let server: LocalServer
  let responses: [status: number, headers: Record<string, string>][] = []
  let requestCount = 0
  before(async () => {
    server = await startLocalServer((_request, response) => {
      requestCount += 1
      const [status, headers] = responses.shift() ?? [200, {}]
      response.writeHead(status, headers).end()
    })
  })
  after(() => server.close())

  /** A clock that advances only by waiting. */
  function sendAfter(queuedResponses: typeof responses) {
    responses = queuedResponses
    requestCount = 0
    let now = Date.parse('2026-01-01T00:00:00Z')
    const waits: number[] = []
    const wait = async (milliseconds: number) => {
      waits.push(milliseconds)
      now += milliseconds
    }
    return {
      waits,
      send: createSend({ fetch, now: () => now, wait, name: 'Acme', hostField: 'site' }),
    }
  }
  const limited = (after: string): [number, Record<string, string>] => [
    429,
    { 'Retry-After': after },
  ]

  it('waits as long as Retry-After says, in seconds or until a date, then retries', async () => {
    const { send, waits } = sendAfter([limited('2'), limited('Thu, 01 Jan 2026 00:00:03 GMT')])
    assert.equal((await send(server.origin)).status, 200)
    assert.deepEqual(waits, [2_000, 1_000])
  })

  it('returns a 429 that would exceed a total wait of 6 s', async () => {
    const { send, waits } = sendAfter([limited('4'), limited('4')])
    assert.equal((await send(server.origin)).status, 429)
    assert.deepEqual([waits, requestCount], [[4_000], 2])
  })

  it('limits the total wait of all requests of a command', async () => {
    const { send, waits } = sendAfter([limited('4'), [200, {}], limited('4')])
    await send(server.origin)
    assert.equal((await send(server.origin)).status, 429)
    assert.deepEqual(waits, [4_000])
  })

  it('returns a 429 without Retry-After at once', async () => {
    const { send } = sendAfter([[429, {}]])
    assert.equal((await send(server.origin)).status, 429)
    assert.equal(requestCount, 1)
  })

  it('waits for no other status than 429', async () => {
    const { send, waits } = sendAfter([[503, { 'Retry-After': '1' }]])
    assert.equal((await send(server.origin)).status, 503)
    assert.deepEqual(waits, [])
  })

  it('does not retry without a pause, whatever a 429 says', async () => {
    const { send, waits } = sendAfter(Array.from({ length: 100 }, () => limited('0')))
    assert.equal((await send(server.origin)).status, 429)
    assert.ok(waits.length <= 60 && waits.every((wait) => wait >= 100), `${waits.length} waits`)
  })

  it('returns redirects, so that credentials do not follow them', async () => {
    const { send } = sendAfter([[302, { Location: `${server.origin}/elsewhere` }]])
    assert.equal((await send(server.origin)).status, 302)
    assert.equal(requestCount, 1)
  })

  it('explains in plain words why there is no response', async () => {
    const { send } = sendAfter([])
    const closed = await startLocalServer(() => {})
    closed.close()
    const isConnectionError = (code: string) => (error: unknown) =>
      error instanceof CheckFailure && error.code === code
    await assert.rejects(send(closed.origin), isConnectionError('provider_unreachable'))
    await assert.rejects(send('http://nowhere.invalid'), isConnectionError('wrong_host'))
    // If the user entered no address, it cannot be wrong: names cannot be resolved at the moment.
    const fixed = createSend({
      fetch,
      now: Date.now,
      wait: async () => {},
      name: 'Acme',
      hostField: undefined,
    })
    await assert.rejects(fixed('http://nowhere.invalid'), isConnectionError('provider_unreachable'))
    const invalidRequest = send(server.origin, { headers: { 'X-Key': 'a\nb' } })
    await assert.rejects(invalidRequest, isConnectionError('invalid_credentials'))
  })
})
