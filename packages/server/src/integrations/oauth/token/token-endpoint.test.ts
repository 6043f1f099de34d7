// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { before, beforeEach, describe, it } from 'node:test'
import type { EgressGateway, EgressPolicy } from '@linchpin/runner'
import { TemplateError } from '../template.ts'
import {
  buildOAuthType,
  openEgressGateway,
  readRequestText,
  serve,
  suiteCleanup,
} from '../test/servers.ts'
import { ANY_ENDPOINT } from './client-request.ts'
import { exchangeCode, refreshTokens } from './token-endpoint.ts'

interface ReceivedRequest {
  readonly url: string | undefined
  readonly method: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const client = { clientId: 'a client', clientSecret: 's:3+cret/%', endpoints: ANY_ENDPOINT }
const grant = {
  client,
  code: 'c&1',
  redirectUri: 'https://here.test/cb?x=1',
  codeVerifier: 'v',
  values: {},
}
let origin: string
let egressGateway: EgressGateway
let received: ReceivedRequest[]

describe('requests to a token endpoint', () => {
  const suite = suiteCleanup()
  before(async () => {
    egressGateway = openEgressGateway(suite)
    origin = await serve(suite, async (request, response) => {
      const { url, method, headers } = request
      received.push({ url, method, headers, body: await readRequestText(request) })
      response.setHeader('content-type', 'application/json').end('{"access_token":"at-1"}')
    })
  })
  beforeEach(() => {
    received = []
  })

  it('send the code, redirect URI, verifier and client in a form', async () => {
    const { url, method, headers, body } = await exchangeAndCapture({})
    assert.deepEqual([url, method], ['/token', 'POST'])
    assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
    assert.equal(headers.accept, 'application/json')
    assert.equal(headers.authorization, undefined)
    assert.deepEqual(
      [...new URLSearchParams(body)],
      [
        ['grant_type', 'authorization_code'],
        ['code', 'c&1'],
        ['redirect_uri', grant.redirectUri],
        ['code_verifier', 'v'],
        ['client_id', 'a client'],
        ['client_secret', 's:3+cret/%'],
      ],
    )
  })

  it('authenticate in the header only, with form-encoded credentials', async () => {
    const { headers, body } = await exchangeAndCapture({ authorization_method: 'header' })
    const [scheme, pair = ''] = headers.authorization?.split(' ') ?? []
    assert.equal(scheme, 'Basic')
    assert.equal(Buffer.from(pair, 'base64').toString(), 'a+client:s%3A3%2Bcret%2F%25')
    assert.doesNotMatch(body, /client_/)
  })

  it('send the client_id of a public client in the body for both methods', async () => {
    const type = buildOAuthType(origin, { authorization_method: 'header' })
    await exchangeCode(
      { egressGateway, now: Date.now },
      { ...grant, type, client: { clientId: 'p' } },
    )
    assert.equal(new URLSearchParams(received[0]?.body).get('client_id'), 'p')
    assert.equal(received[0]?.headers.authorization, undefined)
  })

  it('send JSON if the spec says so', async () => {
    const { headers, body } = await exchangeAndCapture({
      body_format: 'json',
      token_params: { resource: ['r1', 'r2'] },
    })
    assert.equal(headers['content-type'], 'application/json')
    assert.deepEqual(JSON.parse(body), {
      grant_type: 'authorization_code',
      code: 'c&1',
      redirect_uri: grant.redirectUri,
      code_verifier: 'v',
      resource: ['r1', 'r2'],
      client_id: 'a client',
      client_secret: 's:3+cret/%',
    })
  })

  it('add the filled parameters of the spec without replacing those of the grant', async () => {
    const names = ['code', 'redirect_uri', 'code_verifier', 'client_id', 'client_secret', 'Code']
    const maliciousParams = Object.fromEntries(names.map((name) => [name, 'evil']))
    const authFields = {
      ...maliciousParams,
      tenant: '${tenant}',
      resource: ['r1', 'r2'],
      grant_type: 'custom',
    }
    const { body } = await exchangeAndCapture({ token_params: authFields }, { tenant: 'a&b' })
    const sentParams = new URLSearchParams(body)
    assert.doesNotMatch(body, /evil/)
    assert.equal(sentParams.get('tenant'), 'a&b')
    assert.deepEqual(sentParams.getAll('resource'), ['r1', 'r2'])
    assert.deepEqual(sentParams.getAll('grant_type'), ['custom'])
  })

  it('refresh at the refresh URL with its own parameters and without a verifier', async () => {
    const type = buildOAuthType(origin, {
      refresh_url: `${origin}/refresh/\${tenant}`,
      token_params: { a: '1' },
      refresh_params: { b: '2', refresh_token: 'evil' },
    })
    await refreshTokens(
      { egressGateway, now: Date.now },
      { type, client, refreshToken: 'rt-1', values: { tenant: 't 1' } },
    )
    assert.equal(received[0]?.url, '/refresh/t%201')
    assert.deepEqual(
      [...new URLSearchParams(received[0]?.body)],
      [
        ['grant_type', 'refresh_token'],
        ['refresh_token', 'rt-1'],
        ['b', '2'],
        ['client_id', 'a client'],
        ['client_secret', 's:3+cret/%'],
      ],
    )
  })

  it('are not sent if the config lacks a field, and the error names the field', async () => {
    const type = buildOAuthType(origin, { token_params: { tenant: '${tenant}' } })
    const pending = exchangeCode({ egressGateway, now: Date.now }, { ...grant, type })
    await assert.rejects(
      pending,
      (error) => error instanceof TemplateError && error.field === 'tenant',
    )
    assert.equal(received.length, 0)
  })

  it('are not sent without a verifier when the type uses PKCE', async () => {
    const exchange = { ...grant, type: buildOAuthType(origin), codeVerifier: undefined }
    await assert.rejects(exchangeCode({ egressGateway, now: Date.now }, exchange), TypeError)
    assert.equal(received.length, 0)
  })

  it('omit the verifier when the spec disables PKCE', async () => {
    assert.doesNotMatch((await exchangeAndCapture({ disable_pkce: true })).body, /code_verifier/)
  })

  it('have an OAuth egress policy: no redirects, 9 seconds, 64 kB', async () => {
    const policies: EgressPolicy[] = []
    const recordingGateway: EgressGateway = {
      request(request, policy) {
        policies.push(policy)
        return egressGateway.request(request, policy)
      },
      stream: (request, policy) => egressGateway.stream(request, policy),
      validate: (url, policy) => egressGateway.validate(url, policy),
      circuits: () => egressGateway.circuits(),
      close: () => egressGateway.close(),
    }
    const tenant = { workspaceId: 'w' }
    const exchangeRequest = { ...grant, type: buildOAuthType(origin), tenant }
    await exchangeCode({ egressGateway: recordingGateway, now: Date.now }, exchangeRequest)
    const [{ secrets, ...policy } = {} as Partial<EgressPolicy>] = policies
    assert.equal(policies.length, 1)
    assert.deepEqual(policy, {
      purpose: 'oauth',
      timeoutMs: 9_000,
      maxResponseBytes: 65_536,
      maxRedirects: 0,
      decompress: true,
      hosts: undefined,
      tenant,
      signal: undefined,
    })
    const hidden = JSON.stringify(secrets?.())
    assert.ok(hidden.includes(client.clientSecret), 'a debug window shows it to no one')
  })
})

async function exchangeAndCapture(
  authFields: object,
  values: Record<string, unknown> = {},
): Promise<ReceivedRequest> {
  const type = buildOAuthType(origin, { ...authFields })
  const result = await exchangeCode({ egressGateway, now: Date.now }, { ...grant, type, values })
  assert.equal(result.kind, 'tokens')
  const [request] = received
  assert.ok(request && received.length === 1)
  return request
}
