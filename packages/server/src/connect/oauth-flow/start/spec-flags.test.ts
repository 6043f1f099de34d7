// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs look like this
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../../test/test-context.ts'
import { getReturnParams, ISSUER, type StubProviderContext } from '../test/stub-provider-context.ts'

describe('the OAuth fields of a spec, from start to callback', () => {
  let t: StubProviderContext
  let definitionId = ''
  /** The requests that the token endpoint received. */
  const sent: { type: string; authorization: string; body: string }[] = []
  before(async () => {
    t = await testContext({ provider: true })
    t.stubServer.serve('/north/token', async (request: IncomingMessage, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(Buffer.from(chunk))
      const { 'content-type': type = '', authorization = '' } = request.headers
      sent.push({ type, authorization, body: Buffer.concat(chunks).toString() })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: 'at', refresh_token: 'rt' }))
    })
  })
  after(() => t.close())
  beforeEach(() => {
    sent.length = 0
  })

  /** Creates a definition with this OAuth type, and its OAuth app. */
  async function define(
    auth: Record<string, unknown>,
    app: Record<string, unknown> = {},
  ): Promise<void> {
    const { url } = t.stubServer
    const type = {
      authorization_url: `${url}/\${site}/authorize`,
      token_url: `${url}/\${site}/token`,
      ...auth,
    }
    const bundle = createMiniBundle({ auth_specification: { OAuth2: type } })
    const code = bundle.replace('exports.default =', 'exports.inner =').concat(`
exports.default = async (command, params) =>
  command === 'CHECK' ? { status: true } : exports.inner(command, params)
`)
    const definition = await t.createDefinition({ code })
    definitionId = definition.integrationDefinitionId
    const body = {
      integrationDefinitionId: definitionId,
      clientId: 'client:1',
      clientSecret: 's&cret',
      allowedHosts: ['*.books.example'],
      scopes: ['extra'],
      ...app,
    }
    expectCreated(await t.call('POST', '/v1/integration_oauth', { body }))
  }
  const start = (config: unknown) => {
    const redirectURL = 'https://app.example.com/connected?tab=1'
    const names = { integrationDefinitionId: definitionId, integrationAccountName: 'A' }
    const body = { ...names, redirectURL, confirm: false, config }
    return t.call('POST', '/v1/oauth', { body })
  }
  /** Runs the flow; returns the authorization URL and the return parameters. */
  async function completeFlow(config: unknown = { site: 'north' }, codeName = 'code') {
    const authorizationUrl = new URL(
      await t.browser.begin(expectOk(await start(config)).redirectURL),
    )
    const state = authorizationUrl.searchParams.get('state') ?? ''
    return {
      authorizationUrl,
      callback: getReturnParams(await t.callback({ state, [codeName]: 'c', iss: ISSUER })),
    }
  }

  it('define the scopes, their separator and additional authorization parameters', async () => {
    await define({
      default_scopes: ['read', 'write'],
      scope_separator: ',',
      authorization_params: {
        audience: '${site}.example',
        state: 'x',
        redirect_uri: 'https://e.x',
      },
    })
    const { authorizationUrl, callback } = await completeFlow()
    assert.equal(callback.success, 'true', callback.error)
    assert.equal(authorizationUrl.pathname, '/north/authorize')
    const query = authorizationUrl.searchParams
    assert.equal(query.get('scope'), 'read,write,extra')
    assert.equal(query.get('audience'), 'north.example')
    assert.match(query.get('state') ?? '', /^[\w-]{43}$/)
    assert.deepEqual(query.getAll('redirect_uri'), ['http://localhost:3000/api/v1/oauth/callback'])
    assert.equal(new URLSearchParams(sent[0]?.body).get('client_secret'), 's&cret')
  })

  it('select client authentication in the header and a JSON body', async () => {
    await define({
      authorization_method: 'header',
      body_format: 'json',
      token_params: { audience: '${site}.example', code: 'evil' },
    })
    assert.equal((await completeFlow()).callback.success, 'true')
    const [{ type, authorization, body } = { type: '', authorization: '', body: '' }] = sent
    assert.match(type, /^application\/json/)
    const pair = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()
    assert.equal(pair, 'client%3A1:s%26cret')
    const { code_verifier: verifier, ...fields } = JSON.parse(body)
    assert.match(verifier, /^[\w-]{43}$/)
    assert.deepEqual(fields, {
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: 'http://localhost:3000/api/v1/oauth/callback',
      audience: 'north.example',
    })
  })

  it('disable PKCE', async () => {
    await define({ disable_pkce: true })
    const { authorizationUrl, callback } = await completeFlow()
    assert.equal(callback.success, 'true')
    assert.equal(authorizationUrl.searchParams.get('code_challenge'), null)
    assert.equal(authorizationUrl.searchParams.get('code_challenge_method'), null)
    assert.equal(new URLSearchParams(sent[0]?.body).get('code_verifier'), null)
  })

  it('give parameters the names that the provider uses, in both requests and in the response', async () => {
    await define({
      'x-param-names': { client_id: 'app_id', client_secret: 'secret', code: 'auth_code' },
      authorization_params: { app_id: 'evil', portal: '1' },
      token_params: { auth_code: 'evil', secret: 'evil' },
      body_format: 'json',
    })
    const { authorizationUrl, callback } = await completeFlow(undefined, 'auth_code')
    assert.equal(callback.success, 'true', callback.error)
    const query = authorizationUrl.searchParams
    assert.deepEqual(query.getAll('app_id'), ['client:1'])
    assert.deepEqual([query.get('client_id'), query.get('portal')], [null, '1'])
    const { code_verifier: _verifier, ...fields } = JSON.parse(sent[0]?.body ?? '')
    assert.deepEqual(fields, {
      grant_type: 'authorization_code',
      auth_code: 'c',
      redirect_uri: 'http://localhost:3000/api/v1/oauth/callback',
      app_id: 'client:1',
      secret: 's&cret',
    })
    const { callback: other } = await completeFlow(undefined, 'code')
    assert.deepEqual(
      [other.success, sent.length],
      ['false', 1],
      'a code under another name is ignored',
    )
  })

  it('send what the provider has assigned to the redirect URI, which the OAuth app has', async () => {
    await define({ 'x-redirect-name': 'RuName' }, { redirectName: 'Acme-Acme-Books-abc' })
    const { authorizationUrl, callback } = await completeFlow()
    assert.equal(callback.success, 'true', callback.error)
    assert.equal(authorizationUrl.searchParams.get('redirect_uri'), 'Acme-Acme-Books-abc')
    assert.equal(new URLSearchParams(sent[0]?.body).get('redirect_uri'), 'Acme-Acme-Books-abc')
  })

  it('exchange the token of the sign-in at once for one that lives longer', async () => {
    const { url } = t.stubServer
    const received: string[] = []
    t.stubServer.serve('/exchange', ({ method, url: target }, response) => {
      received.push(`${method} ${target}`)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: 'long', expires_in: 5_184_000 }))
    })
    t.stubServer.serve('/south/token', (_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: 'short', user_id: '7' }))
    })
    const params = { grant_type: 'x_refresh', access_token: '${access_token}' }
    const first = {
      url: `${url}/exchange`,
      params: { secret: '${client_secret}', from: '${access_token}', user: '${user_id}' },
    }
    await define({ 'x-renew': { url: `${url}/later`, params, first } })
    const { callback } = await completeFlow({ site: 'south' })
    assert.equal(callback.success, 'true', callback.error)
    assert.deepEqual(received, ['GET /exchange?secret=s%26cret&from=short&user=7'])
    const path = `/v1/integration_account/${callback.integrationAccountId}`
    const { config, expiresAt } = expectOk(await t.call('GET', `${path}/credentials`))
    assert.deepEqual([config.access_token, config.user_id], ['long', '7'])
    assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 5_184_000_000) < 60_000)
    const { statusReason } = expectOk(await t.call('GET', path))
    assert.equal(statusReason, null)
    t.stubServer.serve('/exchange', (_request, response) => response.writeHead(500).end())
    const failed = await completeFlow({ site: 'south' })
    assert.equal(failed.callback.success, 'false')
    assert.match(failed.callback.error ?? '', /provider/)
  })

  it('never let a configuration value redirect a request to another host', async () => {
    await define({})
    for (const site of ['../evil', '..', '%2e%2e', 'a/../b', '..\\x', '', { a: 1 }, null])
      expectError(await start({ site }), 'validation_failed')
    for (const site of ['a/b', '@evil.example', 'a?b=c', 'a#b', 'a b']) {
      const { redirectURL } = expectOk(await start({ site }))
      const authorizationUrl = new URL(await t.browser.begin(redirectURL))
      assert.equal(authorizationUrl.host, t.stubServer.host)
      assert.match(authorizationUrl.pathname, /^\/[^/]+\/authorize$/)
    }
  })

  it('allow a value as a whole host only if a pattern of the spec restricts it', async () => {
    const properties = { host: { type: 'string', 'x-secret': false } }
    const urls = {
      authorization_url: 'https://${host}/authorize',
      token_url: 'https://${host}/token',
    }
    await assert.rejects(
      define({ ...urls, input_specification: { type: 'object', properties } }),
      /authorization_url cannot be filled in: host is used in a host name, but the spec defines no/,
    )
    const pattern = '^[a-z]+\\.books\\.example$'
    const typeWithPattern = { host: { ...properties.host, pattern } }
    await define({ ...urls, input_specification: { type: 'object', properties: typeWithPattern } })
    for (const host of [
      'evil.example',
      'north.books.example.evil.example',
      'north.books.example@e',
    ])
      expectError(await start({ host }), 'validation_failed')
    const page = await t.browser.get(
      expectOk(await start({ host: 'north.books.example' })).redirectURL,
    )
    assert.match(page.text, /north\.books\.example/)
  })

  it('never cause a code to be sent to a blocked address', async () => {
    for (const host of ['169.254.169.254', '10.0.0.1', '[::1]']) {
      await define({ token_url: `https://${host}/token` })
      assert.equal((await completeFlow()).callback.error, 'provider_error', host)
    }
    assert.deepEqual(sent, [])
  })
})
