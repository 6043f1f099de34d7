import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { describe, it } from 'node:test'
import { TokenObserver } from '@linchpin/runner'
import { parseRegistryDocument } from '../src/integrations/catalogue/registry/parse-registry-document.ts'
import { verifyRegistry } from '../src/integrations/catalogue/registry/registry-signature.ts'
import { parseTokenResponse } from '../src/integrations/oauth/token-response/parse-oauth-response.ts'
import { type Build, FORM_SHAPES, JSON_SHAPES, measureCpuMs } from './costly-bodies.ts'

/** CPU time of one response, in milliseconds. */
const MAX_MS = 50
/** The machine may be busy: the least of so many attempts counts. */
const ATTEMPTS = 30
const KB = 1_024

/** The names with a meaning, which are read, walked or searched. */
const NAMES = ['a', 'access_token', 'refresh_token', 'expires_in', 'error', 'errors', 'data', 'ok']

function* listResponses(bytes: number): Generator<[string, Buffer]> {
  for (const [shape, build] of Object.entries(JSON_SHAPES)) {
    yield [shape, build(bytes)]
    for (const name of NAMES) yield [`${shape} in ${name}`, wrap(name, build, bytes)]
  }
  for (const [shape, build] of Object.entries(FORM_SHAPES)) {
    const start = Buffer.from('access_token=abcdefgh&refresh_token=ijklmnop&')
    yield [`form: ${shape}`, Buffer.concat([start, build(bytes - start.length)])]
  }
}

function wrap(name: string, build: Build, bytes: number): Buffer {
  const start = Buffer.from(`{"access_token":"abcdefgh","token_type":"bearer","${name}":`)
  return Buffer.concat([start, build(bytes - start.length - 1), Buffer.from('}')])
}

async function findExpensive(
  bytes: number,
  read: (body: Buffer) => unknown,
  maxMs = MAX_MS,
): Promise<readonly string[]> {
  const expensive: string[] = []
  for (const [shape, body] of listResponses(bytes)) {
    let least = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < ATTEMPTS && least >= maxMs; attempt += 1)
      least = Math.min(least, await measureCpuMs(() => read(body)))
    if (least >= maxMs) expensive.push(`${shape} takes ${least} ms`)
  }
  return expensive
}

describe('The most expensive response', () => {
  for (const status of [200, 400])
    it(`of a token endpoint with ${status} costs less than 50 ms, and no shape throws`, async () => {
      const types = ['application/json', 'application/x-www-form-urlencoded']
      const read = (body: Buffer) => {
        const type = types[body[0] === 0x61 ? 1 : 0] ?? ''
        const response = { status, rawHeaders: ['content-type', type], body }
        return parseTokenResponse(response, { now: 1e12, secrets: { secret: 'client-secret' } })
      }
      assert.deepEqual(await findExpensive(64 * KB, read), [])
    })

  it('to a refresh of a bundle costs less than 50 ms', async () => {
    const request = {
      method: 'POST',
      url: 'https://provider.example/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('grant_type=refresh_token&refresh_token=old-token-1'),
    }
    const read = (body: Buffer) =>
      new TokenObserver({ refresh_token: 'old-token-1' }, async () => {}).send(request, {
        isDecoded: true,
        signal: new AbortController().signal,
        send: async () => ({ url: request.url, status: 200, statusText: '', rawHeaders: [], body }),
      })
    assert.deepEqual(await findExpensive(256 * KB, read), [])
  })

  it('among five to a bundle costs less than 50 ms when its headers are searched for a token', async () => {
    const read = async (body: Buffer) => {
      const observer = new TokenObserver({ key: 'abc' }, async () => {}, { watchesResponses: true })
      const request = { method: 'GET', url: 'https://provider.example/', headers: {} }
      for (let count = 0; count < 5; count += 1)
        await observer.send(request, {
          isDecoded: true,
          signal: new AbortController().signal,
          send: async () => ({
            url: request.url,
            status: 200,
            statusText: '',
            rawHeaders: [],
            body,
          }),
        })
      observer.issuedToken({ authorization: 'Bearer 0123456789abcdef' }, 1e12)
    }
    assert.deepEqual(await findExpensive(256 * KB, read), [])
  })

  it('of a bundle request costs less than 50 ms when it is searched for a refresh token', async () => {
    const read = (body: Buffer) =>
      new TokenObserver({ refresh_token: 'old-token-1' }, async () => {}).send(
        { method: 'POST', url: 'https://provider.example/', headers: {}, body },
        {
          isDecoded: true,
          signal: new AbortController().signal,
          send: async () => ({
            url: '',
            status: 200,
            statusText: '',
            rawHeaders: [],
            body: Buffer.alloc(0),
          }),
        },
      )
    assert.deepEqual(await findExpensive(64 * KB, read), [])
  })

  it('of a registry, which the operator chooses, costs less than 100 ms, its signature and its document', async () => {
    const read = (body: Buffer) => {
      // Other bytes are rejected before.
      if (!isUtf8(body)) return
      const text = body.toString()
      assert.throws(() => verifyRegistry(text, []))
      assert.equal(typeof parseRegistryDocument(text), 'string')
    }
    assert.deepEqual(await findExpensive(2 * 1_024 * KB, read, 100), [])
  })
})
