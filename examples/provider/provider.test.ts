import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createProvider } from './provider.ts'

describe('The example provider', () => {
  const lines: string[] = []
  const provider = createProvider({ log: (line) => lines.push(line), slowMs: 150 })
  before(() => provider.listen())
  after(() => provider.close())
  beforeEach(() => {
    provider.requests.length = 0
  })
  const me = (headers: Record<string, string>) => fetch(`${provider.url}/api/me`, { headers })

  it('accepts a live key in X-Api-Key and as a bearer token', async () => {
    for (const headers of [
      { 'X-Api-Key': 'desk_live_abcd' },
      { Authorization: 'Bearer desk_live_abcd' },
    ]) {
      const response = await me(headers)
      assert.equal(response.status, 200)
      assert.deepEqual(await response.json(), {
        id: 'user_abcd',
        name: 'Ada Acme',
        email: 'abcd@acme.example',
      })
    }
  })

  it('rejects revoked, unknown and missing keys with 401 and a JSON error', async () => {
    for (const [headers, error] of [
      [{ 'X-Api-Key': 'desk_revoked_1' }, 'key_revoked'],
      [{ 'X-Api-Key': 'nonsense' }, 'key_unknown'],
      [{}, 'key_unknown'],
    ] as const) {
      const response = await me(headers)
      assert.equal(response.status, 401)
      const body = (await response.json()) as { error: string }
      assert.equal(body.error, error)
    }
  })

  it('responds with 429 and Retry-After to the busy key, and with 503 to the down key', async () => {
    const rateLimited = await me({ 'X-Api-Key': 'desk_busy' })
    assert.deepEqual([rateLimited.status, rateLimited.headers.get('retry-after')], [429, '30'])
    assert.equal((await me({ 'X-Api-Key': 'desk_down' })).status, 503)
  })

  it('delays the response to the slow key', async () => {
    const start = performance.now()
    assert.equal((await me({ 'X-Api-Key': 'desk_slow' })).status, 200)
    assert.ok(performance.now() - start >= 140)
  })

  it('compresses only when the client accepts gzip', async () => {
    const uncompressed = await sendRawGet(`${provider.url}/api/me`, { 'X-Api-Key': 'desk_live_1' })
    assert.equal(uncompressed.encoding, undefined)
    const zipped = await sendRawGet(`${provider.url}/api/me`, {
      'X-Api-Key': 'desk_live_1',
      'Accept-Encoding': 'gzip, br',
    })
    assert.equal(zipped.encoding, 'gzip')
    assert.deepEqual(gunzipSync(zipped.body), uncompressed.body)
  })

  it('records requests, and logs them without headers and bodies', async () => {
    lines.length = 0
    await fetch(`${provider.url}/nowhere?x=1`, {
      method: 'POST',
      body: 'héllo',
      headers: { A: 'b' },
    })
    const [recorded, ...rest] = provider.requests
    assert.equal(rest.length, 0)
    assert.equal(recorded?.method, 'POST')
    assert.equal(recorded?.url, '/nowhere?x=1')
    assert.equal(recorded?.headers.a, 'b')
    assert.equal(recorded?.body, 'héllo')
    assert.deepEqual(lines, ['POST /nowhere 404'])
  })

  it('distinguishes an unsupported method (405) from an unknown path (404)', async () => {
    assert.equal((await fetch(`${provider.url}/api/me`, { method: 'POST' })).status, 405)
    assert.equal((await fetch(`${provider.url}/api/you`)).status, 404)
  })

  it('closes at once while a slow response is pending', { timeout: 2_000 }, async () => {
    const slow = createProvider({ slowMs: 60_000 })
    const url = await slow.listen()
    const waiting = fetch(`${url}/api/me`, { headers: { 'X-Api-Key': 'desk_slow' } })
    while (slow.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await slow.close()
    await assert.rejects(waiting)
  })
})

function sendRawGet(url: string, headers: Record<string, string>) {
  return new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
    const clientRequest = request(url, { headers }, async (response) => {
      const chunks = await response.toArray()
      resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) })
    })
    clientRequest.once('error', reject)
    clientRequest.end()
  })
}
