// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { before, beforeEach, describe, it } from 'node:test'
import type { EgressGateway, RevocationSpecification } from '@linchpin/runner'
import { ApiError } from '../../../platform/errors.ts'
import {
  buildOAuthType,
  openEgressGateway,
  readRequestText,
  serve,
  suiteCleanup,
} from '../test/servers.ts'
import { ANY_ENDPOINT, type OAuthClient } from './client-request.ts'
import { type GrantTokens, type RevokedGrant, revokeTokens } from './revoke-token.ts'

interface Received {
  readonly line: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const SECRET = 's/1+é'
const client: OAuthClient = { clientId: 'c 1', clientSecret: SECRET, endpoints: ANY_ENDPOINT }
const tokens = { refreshToken: 'r+1', accessToken: 'a/1' }
const BASIC = `Basic ${Buffer.from('c+1:s%2F1%2B%C3%A9').toString('base64')}`

let origin: string
let egressGateway: EgressGateway
let received: Received[] = []
let respond: (response: ServerResponse, path: string) => void

describe('a revocation that a spec declares', () => {
  const suite = suiteCleanup()
  before(async () => {
    egressGateway = openEgressGateway(suite)
    origin = await serve(suite, async (request, response) => {
      const { method, url = '', headers } = request
      received.push({ line: `${method} ${url}`, headers, body: await readRequestText(request) })
      respond(response, url)
    })
  })
  beforeEach(() => {
    received = []
    respond = (response) => void response.end('{}')
  })

  type Declared = Omit<RevocationSpecification, 'url'> & { readonly path?: string }
  const declare = (requests: readonly Declared[], spec: object = {}) =>
    buildOAuthType(origin, {
      'x-revocation': requests.map(({ path = '/revoke', ...request }) => ({
        url: origin + path,
        ...request,
      })),
      ...spec,
    })
  const revoke = (
    requests: readonly Declared[],
    grant: Partial<RevokedGrant> = {},
    of: GrantTokens = tokens,
  ) =>
    revokeTokens({ egressGateway }, { type: declare(requests), client, values: {}, ...grant }, of)
  const lines = () => received.map(({ line }) => line)

  it('sends JSON with Basic, as QuickBooks and Notion take it, for each token', async () => {
    const request = { auth_method: 'header', json: { token: '${token}' } } as const
    assert.equal(await revoke([request]), 'revoked')
    assert.deepEqual(lines(), ['POST /revoke', 'POST /revoke'])
    assert.deepEqual(
      received.map(({ body }) => body),
      ['{"token":"r+1"}', '{"token":"a/1"}'],
    )
    for (const { headers } of received)
      assert.deepEqual(
        [headers.authorization, headers['content-type']],
        [BASIC, 'application/json'],
      )
  })

  it('sends the token in a header without a body, as Dropbox and Slack take it, once', async () => {
    const headers = { Authorization: 'Bearer ${access_token}' }
    assert.equal(await revoke([{ headers }]), 'revoked')
    assert.deepEqual(lines(), ['POST /revoke'])
    const [first] = received
    assert.deepEqual(
      [first?.headers.authorization, first?.headers['content-type'], first?.body],
      ['Bearer a/1', undefined, ''],
    )
    assert.doesNotMatch(JSON.stringify(received), /c 1|c\+1/, 'the client is not named')
  })

  it('sends DELETE with the client in the path, as GitHub takes it', async () => {
    const request: Declared = {
      method: 'DELETE',
      path: '/applications/${client_id}/grant',
      auth_method: 'header',
      json: { access_token: '${access_token}' },
      status: [204, 404],
    }
    respond = (response) => void response.writeHead(404).end('{"message":"Not Found","error":"x"}')
    assert.equal(await revoke([request]), 'revoked')
    assert.deepEqual(lines(), ['DELETE /applications/c%201/grant'])
    assert.deepEqual(
      [received[0]?.headers.authorization, received[0]?.body],
      [BASIC, '{"access_token":"a/1"}'],
    )
    respond = (response) => void response.writeHead(200).end('{}')
    assert.equal(await revoke([request]), 'failed', 'a status that is not declared')
  })

  it('sends the secret in a header and parameters in JSON, as Square takes it', async () => {
    const request = {
      headers: { Authorization: 'Client ${client_secret}', 'Square-Version': '1' },
      json: { client_id: '${client_id}', access_token: '${access_token}' },
    }
    const plain = { ...client, clientSecret: 's-1', endpoints: ANY_ENDPOINT }
    assert.equal(await revoke([request], { client: plain }), 'revoked')
    const [first] = received
    assert.deepEqual(
      [first?.headers.authorization, first?.headers['square-version']],
      ['Client s-1', '1'],
    )
    assert.deepEqual(JSON.parse(first?.body ?? ''), { client_id: 'c 1', access_token: 'a/1' })
  })

  it('sends the token in the query and the client in a form', async () => {
    const request: Declared = {
      auth_method: 'body',
      query: { token: '${token}', hint: '${token_type_hint}' },
      form: { kind: '${kind}' },
    }
    assert.equal(await revoke([request], { values: { kind: 'x&y' } }), 'revoked')
    assert.deepEqual(lines(), [
      'POST /revoke?token=r%2B1&hint=refresh_token',
      'POST /revoke?token=a%2F1&hint=access_token',
    ])
    assert.deepEqual(Object.fromEntries(new URLSearchParams(received[0]?.body)), {
      ...{ kind: 'x&y', client_id: 'c 1', client_secret: SECRET },
    })
  })

  it('needs what the spec says in the body of a success', async () => {
    const request = { form: { token: '${access_token}' }, match: { 'data.revoked': true } }
    for (const [body, outcome] of [
      ['{"data":{"revoked":true}}', 'revoked'],
      ['{"data":{"revoked":"true"}}', 'failed'],
      ['{"data":null}', 'failed'],
      ['', 'failed'],
      ['[]', 'failed'],
      ['{"error":"invalid_token"}', 'revoked'],
    ] as const) {
      respond = (response) => void response.end(body)
      assert.equal(await revoke([request]), outcome, body)
    }
    respond = (response) => void response.writeHead(500).end('{"data":{"revoked":true}}')
    assert.equal(await revoke([request]), 'failed')
  })

  it('sends all requests: one that succeeds is enough, in any place', async () => {
    const requests = [
      { path: '/one', query: { token: '${token}' } },
      { path: '/two', auth_method: 'header', form: { token: '${token}' } },
    ] as const
    for (const [good, outcome] of [
      ['/one', 'revoked'],
      ['/two', 'revoked'],
      ['/none', 'failed'],
    ] as const) {
      received = []
      respond = (response, path) => void response.writeHead(path.startsWith(good) ? 200 : 404).end()
      assert.equal(await revoke(requests), outcome, good)
      assert.equal(received.length, 4)
    }
  })

  it('is unsupported if the grant lacks the token that it takes, and null without any', async () => {
    const request = { form: { token: '${refresh_token}' } }
    const only = { refreshToken: undefined, accessToken: 'a' }
    assert.equal(await revoke([request], {}, only), 'unsupported')
    assert.equal(
      await revoke([request], {}, { refreshToken: undefined, accessToken: undefined }),
      null,
    )
    assert.deepEqual(lines(), [])
  })

  it('takes each pair of further tokens by itself', async () => {
    const nested = { authed_user: { accessToken: 'u-1', refreshToken: undefined } }
    const request = { headers: { Authorization: 'Bearer ${access_token}' } }
    const values = { access_token: 'stale', refresh_token: 'stale' }
    assert.equal(await revoke([request], { values }, { ...tokens, nested }), 'revoked')
    assert.deepEqual(
      received.map(({ headers }) => headers.authorization),
      ['Bearer a/1', 'Bearer u-1'],
    )
  })

  it('withholds the secret from an endpoint that may not have it, and needs no permission without', async () => {
    const asked: string[] = []
    const endpoints = {
      allows: () => false,
      async requireAllowed(url: string): Promise<void> {
        asked.push(url)
        throw new ApiError('oauth_app_secret_required', 'no')
      },
    }
    const bound = { ...client, clientSecret: 's-1', endpoints }
    const withSecret: Declared[] = [
      { auth_method: 'header', form: { token: '${token}' } },
      { auth_method: 'body', form: { token: '${token}' } },
      { headers: { Authorization: 'Client ${client_secret}' }, form: { token: '${token}' } },
      { json: { token: '${token}', key: 'x${client_secret}' } },
      { query: { token: '${token}', key: '${client_secret}' } },
    ]
    for (const request of withSecret)
      assert.equal(await revoke([request], { client: bound }), 'failed')
    assert.deepEqual([lines(), asked.length], [[], withSecret.length * 2])
    const request = { headers: { Authorization: 'Bearer ${access_token}' } }
    assert.equal(await revoke([request], { client: bound }), 'revoked')
  })

  it('sends no secret anywhere if an older stored spec has it in the URL', async () => {
    for (const path of ['/${client_secret}', '/${token}', '/?t=${access_token}'])
      assert.equal(await revoke([{ path, form: { token: '${token}' } }]), 'unsupported', path)
    const invalid = [null, 7, {}, { url: 7 }, { url: origin, form: { token: 7 } }]
    const type = buildOAuthType(origin, { 'x-revocation': invalid })
    assert.deepEqual(type.revocation, [])
    assert.deepEqual(lines(), [])
  })

  it('follows no redirect, and waits for no endless response', { timeout: 20_000 }, async () => {
    const elsewhere: string[] = []
    const other = await serve(suite, (request, response) => {
      elsewhere.push(String(request.headers.authorization))
      response.end('{}')
    })
    const request = { headers: { Authorization: 'Bearer ${access_token}' } }
    for (const status of [301, 302, 307, 308]) {
      respond = (response) => void response.writeHead(status, { location: `${other}/` }).end()
      assert.equal(await revoke([request]), 'failed', `${status}`)
    }
    assert.deepEqual(elsewhere, [])
    respond = (response) => void response.end('x'.repeat(100_000))
    assert.equal(await revoke([request]), 'failed', 'a huge response')
    respond = (response) => {
      const timer = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(timer))
    }
    const started = performance.now()
    const signal = AbortSignal.timeout(500)
    assert.equal(await revoke([request], { signal }), 'failed', 'an endless response')
    assert.ok(performance.now() - started < 3_000)
    received = []
    assert.equal(await revoke([request], { signal }), 'failed', 'after the deadline')
    assert.deepEqual(received, [])
  })

  it('goes only to hosts of the spec', async () => {
    const type = { ...declare([{ form: { token: '${token}' } }]), hosts: ['api.acme.example'] }
    assert.equal(
      await revokeTokens({ egressGateway }, { type, client, values: {} }, tokens),
      'failed',
    )
    assert.deepEqual(lines(), [])
  })

  it('fails if a header cannot carry a token', async () => {
    const request = { headers: { Authorization: 'Bearer ${access_token}' } }
    const of = { refreshToken: undefined, accessToken: 'a\r\nx: y' }
    assert.equal(await revoke([request], {}, of), 'failed')
    assert.deepEqual(lines(), [])
  })
})
