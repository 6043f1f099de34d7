// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { before, beforeEach, describe, it } from 'node:test'
import { TemplateError } from '../template.ts'
import {
  buildOAuthType,
  openEgressGateway,
  readRequestText,
  serve,
  suiteCleanup,
} from '../test/servers.ts'
import { ANY_ENDPOINT } from '../token/client-request.ts'
import type { OAuthRequestDeps } from '../token/token-endpoint.ts'
import {
  type PushedAuthorizationResult,
  pushAuthorizationRequest,
} from './authorization-request.ts'

const REQUEST_URI = 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c'

describe('pushAuthorizationRequest', () => {
  const suite = suiteCleanup()
  const receivedRequests: { headers: IncomingHttpHeaders; form: URLSearchParams }[] = []
  let origin: string
  let deps: OAuthRequestDeps
  before(async () => {
    deps = { egressGateway: openEgressGateway(suite), now: Date.now }
    origin = await serve(suite, async (request, response) => {
      receivedRequests.push({
        headers: request.headers,
        form: new URLSearchParams(await readRequestText(request)),
      })
      response.writeHead(201, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ request_uri: REQUEST_URI, expires_in: 60 }))
    })
  })
  beforeEach(() => {
    receivedRequests.length = 0
  })

  const push = (spec: object = {}, overrides: object = {}): Promise<PushedAuthorizationResult> =>
    pushAuthorizationRequest(deps, {
      type: buildOAuthType(origin, { pushed_authorization_request_url: `${origin}/par`, ...spec }),
      client: { clientId: 'a client', clientSecret: 'a-client-secret', endpoints: ANY_ENDPOINT },
      redirectUri: 'https://here.example.com/callback',
      scopes: ['read', 'write'],
      state: 'the-state',
      codeChallenge: 'the-challenge',
      values: {},
      ...overrides,
    })

  it('pushes all parameters and returns a URL with client_id and request_uri only', async () => {
    const result = await push({ authorization_params: { prompt: 'consent' } })
    assert.deepEqual(result, {
      kind: 'pushed',
      url: `${origin}/authorize?client_id=a%20client&request_uri=${encodeURIComponent(REQUEST_URI)}`,
    })
    assert.deepEqual(Object.fromEntries(receivedRequests[0]?.form ?? []), {
      response_type: 'code',
      client_id: 'a client',
      redirect_uri: 'https://here.example.com/callback',
      scope: 'read write',
      state: 'the-state',
      code_challenge: 'the-challenge',
      code_challenge_method: 'S256',
      prompt: 'consent',
      client_secret: 'a-client-secret',
    })
    assert.equal(receivedRequests[0]?.form.getAll('client_id').length, 1)
  })

  it('authenticates in the header if the spec says so, and sends client_id in the form too', async () => {
    await push({ authorization_method: 'header' })
    const basic = Buffer.from('a+client:a-client-secret').toString('base64')
    assert.equal(receivedRequests[0]?.headers.authorization, `Basic ${basic}`)
    assert.equal(receivedRequests[0]?.form.get('client_id'), 'a client')
    assert.equal(receivedRequests[0]?.form.has('client_secret'), false)
  })

  it('sends a form even if the token endpoint takes JSON', async () => {
    await push({ body_format: 'json' })
    assert.equal(receivedRequests[0]?.headers['content-type'], 'application/x-www-form-urlencoded')
    assert.equal(receivedRequests[0]?.form.get('state'), 'the-state')
  })

  it('pushes for a public client without a secret', async () => {
    await push({}, { client: { clientId: 'public' } })
    assert.equal(receivedRequests[0]?.form.get('client_id'), 'public')
    assert.equal(receivedRequests[0]?.form.has('client_secret'), false)
  })

  it('pushes the query of the endpoint and keeps it in the URL, without parameters that divert the flow', async () => {
    const result = await push({
      authorization_url: `${origin}/authorize?tenant=t1&state=evil&request_uri=evil&response_mode=fragment`,
      authorization_params: { request_uri: 'evil', request: 'evil', state: 'evil' },
    })
    const url = new URL(result.kind === 'pushed' ? result.url : '')
    assert.deepEqual(
      [...url.searchParams],
      [
        ['tenant', 't1'],
        ['client_id', 'a client'],
        ['request_uri', REQUEST_URI],
      ],
    )
    const { form } = receivedRequests[0] ?? {}
    assert.deepEqual(form?.getAll('state'), ['the-state'])
    assert.equal(form?.get('tenant'), 't1')
    for (const name of ['request', 'request_uri', 'response_mode'])
      assert.equal(form?.has(name), false, name)
  })

  it('fills the URL and the parameters from the config, and sends nothing if a value is missing', async () => {
    const spec = {
      pushed_authorization_request_url: `${origin}/\${tenant}/par`,
      authorization_params: { hint: '${tenant}' },
    }
    assert.equal((await push(spec, { values: { tenant: 'north' } })).kind, 'pushed')
    assert.equal(receivedRequests[0]?.form.get('hint'), 'north')
    await assert.rejects(push(spec), TemplateError)
    assert.equal(receivedRequests.length, 1)
  })

  it('throws without a challenge or without an endpoint, and sends nothing', async () => {
    await assert.rejects(push({}, { codeChallenge: undefined }), TypeError)
    await assert.rejects(push({ pushed_authorization_request_url: undefined }), TypeError)
    assert.equal(receivedRequests.length, 0)
  })
})
