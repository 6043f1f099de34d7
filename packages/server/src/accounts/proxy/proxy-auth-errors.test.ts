// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { after, before, beforeEach, it } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectOk } from '../../../test/test-context.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from '../accounts/token-refresh/test/refresh-test-context.ts'

describeOnBothDatabases('a proxied response that matches x-auth-errors', defineTests)

const REVOKED = '{"ok":false,"error":"token_revoked"}'
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const RULES = [
  { match: { ok: false, error: ['invalid_auth', 'token_revoked'] } },
  { status: 200, match: { 'errors.*.extensions.code': { startsWith: 'UNAUTH' } } },
  { status: [403], match: { 'a\\.b': null } },
  { status: [410, 419] },
]

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  let baseUrl: string
  let handleApiRequest: RequestListener
  let accepts: boolean
  let checks: number
  let definitionId: string

  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
    const { t } = context
    baseUrl = await t.app.listen({ port: 0, host: '127.0.0.1' })
    t.stubServer.serve('/api', (request, response) => handleApiRequest(request, response))
    t.stubServer.serve('/check-result', (_request, response) => {
      checks += 1
      response.end(String(accepts))
    })
    const code = createKeyBundle(t.stubServer.url)
    definitionId = (await t.createDefinition({ code })).integrationDefinitionId
  })
  after(() => context.close())
  beforeEach(() => {
    accepts = true
    checks = 0
  })

  const connect = async () => {
    accepts = true
    const accountFields = { authType: 'Api Key', config: { api_key: 'a-customer-key' } }
    const account = await context.t.createAccount(definitionId, accountFields)
    checks = 0
    return account.integrationAccountId
  }
  const send = (id: string, init: RequestInit = {}) =>
    fetch(`${baseUrl}/api/v1/integration_account/${id}/proxy/api`, {
      ...init,
      headers: { authorization: `Bearer ${context.t.token}`, connection: 'close', ...init.headers },
    })
  const respondWith = (status: number, body: string | Uint8Array, headers: object = JSON_TYPE) => {
    handleApiRequest = (_request, response) => response.writeHead(status, { ...headers }).end(body)
  }
  const fetchStatus = async (id: string) => {
    const { status, statusReason } = expectOk(
      await context.t.call('GET', `/v1/integration_account/${id}`),
    )
    return [status, statusReason]
  }
  /** Whether the response was treated as invalid credentials. */
  const triggersRevalidation = async (
    status: number,
    body: string | Uint8Array,
    headers?: object,
  ) => {
    const id = await connect()
    respondWith(status, body, headers)
    const response = await send(id, { headers: { 'accept-encoding': 'identity' } })
    assert.equal(response.status, status)
    await response.arrayBuffer()
    return checks === 1
  }

  it('sets needs_reauth if CHECK fails too, and is returned unchanged if CHECK succeeds', async () => {
    const id = await connect()
    respondWith(200, REVOKED)
    const forwarded = await send(id)
    assert.deepEqual([forwarded.status, await forwarded.text(), checks], [200, REVOKED, 1])
    assert.equal(forwarded.headers.get('linchpin-proxy'), 'provider')
    assert.deepEqual(await fetchStatus(id), ['active', null])
    const other = await connect()
    accepts = false
    assert.equal((await send(other)).status, 424)
    assert.deepEqual(await fetchStatus(other), ['needs_reauth', 'credentials_rejected'])
  })

  it('refreshes the tokens and retries the request', async () => {
    const code = createMiniBundle({
      ...createOAuthSpec(context.provider, {
        headers: { Authorization: 'Bearer ${access_token}' },
      }),
      'x-auth-errors': RULES,
      api_base_url: context.t.stubServer.url,
    })
    const at = Date.now() + 3_600_000
    const { id, family } = await context.account({
      code,
      row: { token_expires_at: at, refresh_at: at },
    })
    const oldBearer = `Bearer ${family.accessToken}`
    const bodies: string[] = []
    handleApiRequest = async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString()
      bodies.push(body)
      const isOld = request.headers.authorization === oldBearer
      response.writeHead(200, JSON_TYPE).end(isOld ? REVOKED : '{"ok":true}')
    }
    const response = await send(id, { method: 'POST', body: 'hello' })
    assert.deepEqual([response.status, await response.text()], [200, '{"ok":true}'])
    assert.deepEqual(bodies, ['hello', 'hello'])
    assert.notEqual(`Bearer ${family.accessToken}`, oldBearer)
  })

  it('matches by status alone, whatever the body is', async () => {
    for (const [status, body, headers] of [
      [410, '{}', JSON_TYPE],
      [419, '<h1>Expired</h1>', { 'content-type': 'text/html' }],
      [419, '', {}],
      [410, 'x'.repeat(100_000), JSON_TYPE],
    ] as const)
      assert.equal(await triggersRevalidation(status, body, headers), true)
    assert.equal(await triggersRevalidation(400, '{}'), false)
    assert.equal(await triggersRevalidation(403, '<h1>Forbidden</h1>', {}), false)
  })

  it('matches by status, paths and values', async () => {
    const createGraphqlError = (code: string) =>
      JSON.stringify({ data: null, errors: [{ message: 'x' }, { extensions: { code } }] })
    assert.equal(await triggersRevalidation(200, createGraphqlError('UNAUTHENTICATED')), true)
    assert.equal(
      await triggersRevalidation(403, '{"a.b":null}', { 'content-type': 'text/json' }),
      true,
    )
    assert.equal(
      await triggersRevalidation(400, REVOKED, { 'content-type': 'application/problem+json' }),
      true,
    )
    for (const [status, body] of [
      [400, createGraphqlError('UNAUTHENTICATED')],
      [200, createGraphqlError('THROTTLED')],
      [200, '{"ok":true,"error":"token_revoked"}'],
      [200, '{"ok":false,"error":["token_revoked"]}'],
      [200, '{"a.b":null}'],
      [403, '{"a":{"b":null}}'],
      [403, '{}'],
      [200, '{"errors":{"0":null},"__proto__":{"ok":false,"error":"token_revoked"}}'],
      [200, 'null'],
      [200, ''],
      [200, REVOKED.slice(0, -1)],
    ] as const)
      assert.equal(await triggersRevalidation(status, body), false, body)
    assert.equal(await triggersRevalidation(200, REVOKED, { 'content-type': 'text/plain' }), false)
  })

  it('matches compressed responses, returned unchanged, but none that decompress to more than 16 kB', async () => {
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      const headers = { ...JSON_TYPE, 'content-encoding': encoding }
      assert.equal(await triggersRevalidation(200, compress(REVOKED), headers), true, encoding)
      const bomb = compress(`${REVOKED.slice(0, -1)},"more":"${'x'.repeat(1_000_000)}"}`)
      assert.equal(await triggersRevalidation(200, bomb, headers), false, `${encoding} bomb`)
    }
    assert.equal(
      await triggersRevalidation(200, REVOKED, { ...JSON_TYPE, 'content-encoding': 'rot13' }),
      false,
    )
  })

  it('is not checked beyond 16 kB, and is returned completely at any size', async () => {
    const id = await connect()
    for (const size of [16_384, 16_385, 100_000, 5_000_000])
      for (const isChunked of [true, false]) {
        const start = `${REVOKED.slice(0, -1)},"more":"`
        const body = Buffer.from(`${start.padEnd(size - 2, 'x')}"}`)
        const length = isChunked ? {} : { 'content-length': String(size) }
        respondWith(200, body, { ...JSON_TYPE, ...length })
        const response = await send(id)
        assert.ok(Buffer.from(await response.arrayBuffer()).equals(body), `${size} bytes`)
      }
    assert.equal(checks, 1, 'only the shorter responses trigger CHECK')
  })

  it('does not delay a JSON stream without an end', async () => {
    const id = await connect()
    const { promise, resolve } = Promise.withResolvers<ServerResponse>()
    handleApiRequest = (_request, response) => {
      response.writeHead(200, JSON_TYPE).write('{"line":1}\n')
      resolve(response)
    }
    const response = await send(id)
    const reader = response.body?.getReader()
    const first = await reader?.read()
    assert.equal(Buffer.from(first?.value ?? []).toString(), '{"line":1}\n')
    const provider = await promise
    provider.end('{"line":2}\n')
    const second = await reader?.read()
    assert.equal(Buffer.from(second?.value ?? []).toString(), '{"line":2}\n')
    assert.equal((await reader?.read())?.done, true)
  })

  it('closes the connection if the provider closes it early', async () => {
    const id = await connect()
    handleApiRequest = (_request, response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': '900' }).write(REVOKED)
      setTimeout(() => response.destroy(), 50)
    }
    await assert.rejects(async () => (await send(id)).text())
    const clientAbort = new AbortController()
    handleApiRequest = async (_request, response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': '900' }).write(REVOKED)
      setTimeout(() => clientAbort.abort(), 50)
      await once(response, 'close')
    }
    await assert.rejects(send(id, { signal: clientAbort.signal }))
    respondWith(200, '{"ok":true}')
    assert.equal(await (await send(id)).text(), '{"ok":true}')
  })
}

function createKeyBundle(url: string): string {
  const spec = {
    api_base_url: url,
    'x-auth-errors': [{ match: { never: 'this one' } }],
    auth_specification: {
      'Api Key': {
        input_specification: {
          type: 'object',
          required: ['api_key'],
          properties: { api_key: { type: 'string' } },
        },
        headers: { Authorization: 'Bearer ${api_key}' },
        'x-auth-errors': RULES,
      },
    },
  }
  return `
exports.default = async (command) => {
  if (command === 'SPEC') return ${JSON.stringify(spec)}
  if (command !== 'CHECK') throw new Error('Command not found')
  const ok = (await (await fetch(${JSON.stringify(`${url}/check-result`)})).text()) === 'true'
  return { status: ok, error: ok ? '' : 'Not accepted.' }
}
`
}
