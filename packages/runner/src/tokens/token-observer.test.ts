import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { EgressRequest, EgressResponse } from '../egress/egress.ts'
import { contains } from './searchable-request.ts'
import { type ObservedTokens, TokenObserver } from './token-observer.ts'

const R1 = 'refresh-token+1/of=it'
const encodeForm = (values: Record<string, string>) => Buffer.from(`${new URLSearchParams(values)}`)
const encodeJson = (value: unknown) => Buffer.from(JSON.stringify(value))
const encodeBase64 = (text: string) => Buffer.from(text).toString('base64')
const post = (body?: Uint8Array, headers = {}, url = 'https://p.test/token'): EgressRequest => ({
  method: 'POST',
  url,
  headers,
  body,
})
const respond = (body: Uint8Array, headers: string[] = [], status = 200): EgressResponse => ({
  status,
  statusText: '',
  rawHeaders: headers,
  body,
  url: '',
})
const TOKENS = { access_token: 'at-2', refresh_token: 'rt-2', expires_in: 3600 }
const OBSERVED = { configuredToken: R1, accessToken: 'at-2', refreshToken: 'rt-2', expiresIn: 3600 }

function observe(config: unknown = { refresh_token: R1, api_key: 'some-key' }) {
  const stored: ObservedTokens[] = []
  const observer = new TokenObserver(config, async (tokens) => void stored.push(tokens))
  let sent = 0
  const send = (request: EgressRequest, response: EgressResponse, isDecoded = true) =>
    observer.send(request, {
      isDecoded,
      signal: new AbortController().signal,
      send: async () => {
        sent += 1
        return response
      },
    })
  return { observer, send, stored, sent: () => sent }
}

const REQUESTS: Readonly<Record<string, EgressRequest>> = {
  form: post(encodeForm({ grant_type: 'refresh_token', refresh_token: R1 })),
  JSON: post(encodeJson({ grant_type: 'refresh_token', nested: { token: R1 } })),
  query: post(undefined, {}, `https://p.test/token?${new URLSearchParams({ refresh_token: R1 })}`),
  'path segment': post(undefined, {}, `https://p.test/token/${encodeURIComponent(R1)}`),
  header: post(undefined, { 'X-Refresh': R1 }),
  Bearer: post(undefined, { Authorization: `Bearer ${R1}` }),
  'HTTP Basic': post(undefined, { Authorization: `Basic ${encodeBase64(`client:${R1}`)}` }),
  base64: post(encodeForm({ assertion: encodeBase64(`v1:${R1}`) })),
  'JSON inside JSON': post(encodeJson({ payload: JSON.stringify({ refresh_token: R1 }) })),
  XML: post(Buffer.from(`<refresh>${R1}</refresh>`)),
  multipart: post(
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="t"\r\n\r\n${R1}\r\n--b--\r\n`),
    { 'content-type': 'multipart/form-data; boundary=b' },
  ),
}

describe('TokenObserver', () => {
  for (const [location, request] of Object.entries(REQUESTS))
    it(`observes a refresh token in: ${location}`, async () => {
      const { send, stored } = observe()
      await send(request, respond(encodeJson(TOKENS)))
      assert.deepEqual(stored, [OBSERVED])
    })

  const RESPONSES: Readonly<Record<string, [EgressResponse, boolean?]>> = {
    form: [
      respond(encodeForm({ access_token: 'at-2', refresh_token: 'rt-2', expires_in: '3600' })),
    ],
    'wrapped in data': [respond(encodeJson({ code: 0, data: TOKENS }))],
    gzip: [respond(gzipSync(encodeJson(TOKENS)), ['Content-Encoding', 'gzip']), false],
    br: [respond(brotliCompressSync(encodeJson(TOKENS)), ['content-encoding', 'br']), false],
    'expires_in as text': [respond(encodeJson({ ...TOKENS, expires_in: '3600' }))],
    'already decompressed': [respond(encodeJson(TOKENS), ['content-encoding', 'gzip']), true],
  }
  for (const [kind, [response, isDecoded]] of Object.entries(RESPONSES))
    it(`parses tokens in a response and returns its bytes unchanged: ${kind}`, async () => {
      const { send, stored } = observe()
      const request = REQUESTS.form as EgressRequest
      assert.equal(await send(request, response, isDecoded), response)
      assert.equal(await send(request, respond(encodeJson({})), isDecoded), response)
      assert.deepEqual(stored, [OBSERVED])
    })

  it('observes nothing in responses without tokens', async () => {
    const { send, stored, sent } = observe()
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'a'))
    const none: [EgressResponse, boolean?][] = [
      [respond(encodeJson(TOKENS), [], 400)],
      [respond(encodeJson(TOKENS), [], 302)],
      [respond(encodeJson({ active: true }))],
      [respond(encodeJson([TOKENS]))],
      [respond(encodeJson({ access_token: 1 }))],
      [respond(encodeJson({ access_token: 'a b' }))],
      [respond(Buffer.from('null'))],
      [respond(Buffer.from('{'))],
      [respond(Buffer.from(`{"access_token":"a"${' '.repeat(300_000)}}`))],
      [respond(bomb, ['content-encoding', 'gzip']), false],
      [respond(encodeJson(TOKENS), ['content-encoding', 'gzip']), false],
    ]
    for (const [response, isDecoded] of none)
      await send(REQUESTS.form as EgressRequest, response, isDecoded)
    await send(post(encodeForm({ grant_type: 'client_credentials' })), respond(encodeJson(TOKENS)))
    assert.deepEqual([stored, sent()], [[], none.length + 1])
  })

  it('parses tokens beside an invalid expires_in, and returns the response', async () => {
    const wrong: unknown[] = [
      { toString: 1, valueOf: 1 },
      [[3600]],
      [],
      {},
      null,
      true,
      '',
      '-1',
      1e300,
    ]
    for (const expires_in of wrong) {
      const { send, stored } = observe()
      const response = respond(encodeJson({ ...TOKENS, expires_in }))
      assert.equal(await send(REQUESTS.form as EgressRequest, response), response)
      assert.deepEqual(stored, [{ ...OBSERVED, expiresIn: undefined }], JSON.stringify(expires_in))
    }
  })

  it('sends a refresh once per token and request, also for concurrent requests', async () => {
    const { send, sent, observer } = observe()
    const first = respond(encodeJson(TOKENS))
    const refresh = (overrides = {}) =>
      post(encodeForm({ grant_type: 'refresh_token', refresh_token: R1, ...overrides }))
    const all = await Promise.all([1, 2, 3].map(() => send(refresh(), first)))
    assert.ok(all.every((each) => each === first))
    const fullParameters = {
      refresh_token: R1,
      api_key: 'some-key',
      access_token: 'at-2',
      client_id: 'c',
    }
    const repeated = post(encodeJson({ ...fullParameters, grant_type: 'refresh_token' }))
    assert.equal(await send(repeated, respond(encodeJson({}))), first, 'written in another way')
    assert.equal(sent(), 1)
    for (const other of [
      refresh({ scope: 'other' }),
      refresh({ action: 'revoke' }),
      { ...refresh(), method: 'PUT' },
      post(refresh().body, {}, 'https://p.test/revoke'),
      post(encodeForm({ grant_type: 'authorization_code', code: 'c' })),
    ])
      await send(other, respond(Buffer.from('')))
    assert.equal(sent(), 6)
    assert.deepEqual(observer.tokens, [OBSERVED])
  })

  it('sends a refresh again after one that returned no tokens', async () => {
    const { send, sent, stored } = observe()
    const request = REQUESTS.form as EgressRequest
    const rejectedResponse = respond(encodeJson({ error: 'invalid_client' }), [], 401)
    await Promise.all([send(request, rejectedResponse), send(request, rejectedResponse)])
    await send(request, respond(encodeJson(TOKENS)))
    assert.deepEqual([stored.length, sent()], [1, 3])
  })

  it('follows a chain of refresh tokens', async () => {
    const { send, observer, sent } = observe()
    const refresh = (refresh_token: string) => post(encodeForm({ refresh_token }))
    await send(refresh(R1), respond(encodeJson(TOKENS)))
    await send(
      refresh('rt-2'),
      respond(encodeJson({ access_token: 'at-3', refresh_token: 'rt-3' })),
    )
    await send(refresh('rt-3'), respond(encodeJson({ access_token: 'at-4' })))
    assert.equal(sent(), 3)
    assert.deepEqual(observer.tokens, [
      { configuredToken: R1, accessToken: 'at-4', refreshToken: 'rt-3', expiresIn: undefined },
    ])
  })

  it('recognizes a refresh token by the name of its parameter if its field has another name', async () => {
    const { send, stored } = observe({ deep: { offline: R1 }, api_key: 'k' })
    await send(post(encodeJson({ refreshToken: R1 })), respond(encodeJson(TOKENS)))
    assert.deepEqual(stored, [OBSERVED])
    const other = observe({ api_key: 'k' })
    await other.send(
      post(encodeForm({ refresh_token: 'of the bundle' })),
      respond(encodeJson(TOKENS)),
    )
    assert.deepEqual(other.stored, [])
  })

  it('completes a refresh that the bundle aborted', async () => {
    const { observer } = observe()
    const abort = new AbortController()
    const { promise, resolve } = Promise.withResolvers<EgressResponse>()
    const sending = { isDecoded: true, signal: abort.signal, send: () => promise }
    const sent = observer.send(REQUESTS.form as EgressRequest, sending)
    abort.abort()
    await assert.rejects(sent, { code: 'aborted' })
    resolve(respond(encodeJson(TOKENS)))
    await observer.settled()
    assert.deepEqual(observer.tokens, [OBSERVED])
  })

  it('takes linear time for repetitive texts and tokens', () => {
    const measureCpuTimeMs = (size: number) => {
      const { user } = process.cpuUsage()
      for (let times = 0; times < 20; times++)
        assert.ok(!contains('a'.repeat(size), `${'a'.repeat(size / 4)}b${'a'.repeat(size / 4)}`))
      return process.cpuUsage().user - user
    }
    measureCpuTimeMs(64_000)
    const smallInputMs = measureCpuTimeMs(64_000)
    assert.ok(measureCpuTimeMs(512_000) < smallInputMs * 32 + 50_000)
    assert.ok(contains(`${'ab'.repeat(40)}c`, `${'ab'.repeat(20)}c`))
  })
})
