import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import type { TestContext } from '../../../test/base-context.ts'
import { expectCreated, expectOk } from '../../../test/expect-response.ts'
import type { TestResponse } from '../../../test/test-app.ts'
import { testContext } from '../../../test/test-context.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import { suiteCleanup } from '../../integrations/oauth/test/servers.ts'
import { parseJson } from '../../platform/json.ts'
import { BASE_URL, type Browser, newBrowser } from './test/browser.ts'
import {
  createMcpBundle,
  startAuthorizationServer,
  startMcpServer,
  type TestAuthorizationServer,
  type TestMcpServer,
} from './test/mcp-servers.ts'
import { startOidcProvider } from './test/oauth-test-context.ts'

const DOCUMENT_URL = 'https://clients.example.com/{workspaceId}.json'
const CALLBACK = `${BASE_URL}/api/v1/oauth/callback`

function expectStatus(status: number, response: TestResponse): AnyBody {
  assert.equal(response.status, status, response.text)
  return response.body
}

/** The claims of an access token in the format of RFC 9068; empty for others. */
function readClaims(token: string): AnyBody {
  const [, claims = ''] = token.split('.')
  return parseJson(Buffer.from(claims, 'base64url').toString()) ?? {}
}

describe('accounts at MCP servers', () => {
  const cleanup = suiteCleanup()
  let t: TestContext
  let browser: Browser
  /** Its server is a field. */
  let definitionId: string
  let as: TestAuthorizationServer
  let mcp: TestMcpServer

  before(async () => {
    t = await testContext({ clientMetadataUrl: DOCUMENT_URL })
    browser = newBrowser(t.app)
  })
  after(() => t.close())

  /** Each test has servers of its own, and so has each issuer. */
  beforeEach(async () => {
    definitionId = (await t.createDefinition({ code: createMcpBundle() })).integrationDefinitionId
    as = await startAuthorizationServer(cleanup, '/tenant/a')
    mcp = await startMcpServer(cleanup, {
      issuer: as.issuer,
      isValid: (token) => as.tokens.get(token) === mcp.url,
    })
  })

  const callStart = (body: Record<string, unknown> = {}) =>
    t.call('POST', '/v1/oauth', {
      body: {
        integrationDefinitionId: definitionId,
        integrationAccountName: 'An MCP server',
        config: { server_url: mcp.url },
        confirm: false,
        ...body,
      },
    })
  const begin = async (body?: Record<string, unknown>) =>
    new URL(await browser.begin(expectOk(await callStart(body)).redirectURL))
  /** Signs in, and returns the page that the browser ends at. */
  const signIn = async (authorizationUrl: URL) => {
    const { location } = await browser.get(authorizationUrl.href)
    assert.ok(location, 'the authorization server did not redirect')
    return await browser.get(location)
  }
  const connect = async (body?: Record<string, unknown>): Promise<AnyBody> => {
    const page = await signIn(await begin(body))
    assert.equal(page.status, 303, page.text)
    const { rows } = await listAccounts()
    return rows.at(-1)
  }
  const listAccounts = async () => {
    const rows = await t.database.read
      .selectFrom('accounts')
      .innerJoin('account_tokens', 'account_tokens.account_id', 'accounts.account_id')
      .select(['accounts.account_id as id', 'status', 'status_reason', 'oauth_app_id', 'resource'])
      .where('definition_id', '=', definitionId as never)
      .where('deleted_at', 'is', null)
      .orderBy('accounts.created_at')
      .execute()
    return { rows }
  }
  const findApp = async (): Promise<AnyBody> => {
    const path = `/v1/integration_oauth?integrationDefinitionId=${definitionId}`
    const apps = expectOk(await t.call('GET', path))
    assert.equal(apps.length, 1)
    return apps[0]
  }
  const use = (id: string) =>
    t.call('POST', `/v1/integration_account/${id}/proxy/${mcp.url}`, { body: {} })
  /** As if its access token had expired. */
  const expire = (id: AccountId, change: Record<string, unknown> = {}) =>
    t.database.transaction((trx) =>
      trx
        .updateTable('account_tokens')
        .set({ token_expires_at: Date.now() - 1_000, refresh_at: 1, ...change })
        .where('account_id', '=', id)
        .execute(),
    )
  const refusal = async (body?: Record<string, unknown>): Promise<string> => {
    const { error, message } = expectStatus(400, await callStart(body))
    assert.equal(error, 'mcp_server_invalid')
    assert.deepEqual(as.forms, [])
    return message
  }

  it('registers a client, signs in for the resource, and uses it again', async () => {
    const authorizationUrl = await begin()
    const { searchParams: params } = authorizationUrl
    assert.equal(authorizationUrl.href.split('?', 1)[0], `${as.issuer}/authorize`)
    assert.deepEqual(
      ['resource', 'scope', 'code_challenge_method'].map((name) => params.get(name)),
      [mcp.url, 'tools files offline_access', 'S256'],
    )
    assert.deepEqual(as.registrations, [
      {
        client_name: 'Linchpin',
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        application_type: 'web',
        token_endpoint_auth_method: 'none',
      },
    ])
    const app = await findApp()
    assert.deepEqual(
      [app.kind, app.issuer, app.clientId, app.isDefault],
      ['dynamic', as.issuer, params.get('client_id'), true],
    )
    assert.equal((await signIn(authorizationUrl)).status, 303)
    const { rows } = await listAccounts()
    assert.deepEqual(
      rows.map(({ status, resource }) => [status, resource]),
      [['active', mcp.url]],
    )
    const [form] = as.forms
    assert.deepEqual(
      [form?.grant_type, form?.resource, form?.client_id, form?.authorization],
      ['authorization_code', mcp.url, app.clientId, ''],
    )
    await connect()
    assert.equal(as.registrations.length, 1)
  })

  it('registers at a certified provider, refreshes there for the resource, and revokes', async () => {
    const audiences: string[] = []
    const provider = await startOidcProvider({
      issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
      features: {
        registration: { enabled: true },
        revocation: { enabled: true, allowedPolicy: async () => true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, audience) => {
            audiences.push(audience)
            return { audience, scope: 'tools files', accessTokenFormat: 'jwt' }
          },
        },
      },
    })
    cleanup.after(() => provider.close())
    const server = await startMcpServer(cleanup, {
      issuer: provider.url,
      isValid: (token) => readClaims(token).aud === server.url,
    })
    const authorizationUrl = await begin({ config: { server_url: server.url } })
    const page = await browser.get(await browser.signIn(authorizationUrl.href))
    assert.equal(page.status, 303, page.text)
    const { rows } = await listAccounts()
    const [account] = rows
    assert.deepEqual([account?.status, account?.resource], ['active', server.url])
    const id = account?.id ?? assert.fail()
    await expire(id)
    const path = `/v1/integration_account/${id}/proxy/${server.url}`
    assert.equal((await t.call('POST', path, { body: {} })).status, 200)
    const deleted = expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    assert.equal(deleted.revocation, 'revoked')
    assert.deepEqual(new Set(audiences), new Set([server.url]))
    assert.deepEqual(
      provider.requests.filter((each) => /^POST \/(?:reg|token)/.test(each)),
      [
        'POST /reg',
        'POST /token',
        'POST /token',
        'POST /token/revocation',
        'POST /token/revocation',
      ],
    )
  })

  it('is known by its document where the server reads such documents', async () => {
    Object.assign(as.settings.metadata, { client_id_metadata_document_supported: true })
    const clientId = DOCUMENT_URL.replace('{workspaceId}', t.workspaceId)
    as.settings.readDocument = async (url) => {
      const path = `/oauth-client/${t.workspaceId}.json`
      const response = await t.app.inject({ method: 'GET', url: path })
      assert.equal(response.headers['cache-control'], 'public, max-age=3600')
      return url === clientId ? response.json() : undefined
    }
    await connect()
    const app = await findApp()
    assert.deepEqual([app.kind, app.clientId], ['metadata_document', clientId])
    assert.deepEqual(await as.settings.readDocument(clientId), {
      client_id: clientId,
      client_name: 'Linchpin',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'web',
      token_endpoint_auth_method: 'none',
    })
    assert.equal(as.registrations.length, 0)
  })

  it('has no document of a workspace that does not exist', async () => {
    for (const file of ['wsp_01kahn2s6ke2vb7gq4yq1c0m9t.json', 'x.json', t.workspaceId])
      assert.equal((await t.app.inject(`/oauth-client/${file}`)).statusCode, 404, file)
  })

  it('uses the client that the team has registered, with its secret', async () => {
    as.settings.readDocument = async () => ({ redirect_uris: [CALLBACK] })
    const client = { clientId: 'ours', clientSecret: 'canary-client-secret-0123456789' }
    const missing = { body: { integrationDefinitionId: definitionId, ...client } }
    const answer = await t.call('POST', '/v1/integration_oauth', missing)
    assert.deepEqual(Object.keys(expectStatus(400, answer).errors), ['issuer'])
    const body = { ...missing.body, issuer: as.issuer }
    const app = expectCreated(await t.call('POST', '/v1/integration_oauth', { body }))
    const account = await connect()
    assert.equal(account.oauth_app_id, app.integrationOAuthAppId)
    const basic = `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`
    assert.equal(as.forms[0]?.authorization, basic)
    assert.equal(as.registrations.length, 0)
  })

  it('never replaces a client that is registered with another issuer', async () => {
    const other = await startAuthorizationServer(cleanup)
    const body = { integrationDefinitionId: definitionId, clientId: 'ours', issuer: other.issuer }
    const app = expectCreated(await t.call('POST', '/v1/integration_oauth', { body }))
    const { integrationOAuthAppId: appId } = app
    assert.match(await refusal({ integrationOAuthAppId: appId }), /^client: .*registered with http/)
    const code = createMcpBundle(mcp.url)
    const fixed = (await t.createDefinition({ code })).integrationDefinitionId
    const ofFixed = { ...body, integrationDefinitionId: fixed }
    expectCreated(await t.call('POST', '/v1/integration_oauth', { body: ofFixed }))
    const start = { integrationDefinitionId: fixed, config: {} }
    assert.match(await refusal(start), /^client: .*registered with http/)
    const second = { ...ofFixed, issuer: as.issuer, clientId: 'ours-there' }
    expectCreated(await t.call('POST', '/v1/integration_oauth', { body: second }))
    assert.equal((await begin(start)).searchParams.get('client_id'), 'ours-there')
    // Another server of the field may have another client.
    await connect()
    assert.equal(as.registrations.length, 1)
  })

  it('deletes clients that no account has come of, a day later', async () => {
    const listIssuers = async () => {
      const path = `/v1/integration_oauth?integrationDefinitionId=${definitionId}`
      const apps: { issuer: string }[] = expectOk(await t.call('GET', path))
      return apps.map(({ issuer }) => issuer)
    }
    const setAge = (ms: number) => {
      const at = Date.now() - ms
      return t.database.transaction((trx) =>
        trx
          .updateTable('oauth_apps')
          .set({ created_at: at, updated_at: at })
          .where('definition_id', '=', definitionId as never)
          .execute(),
      )
    }
    await connect()
    const [used, abandoned, next] = await Promise.all([
      as,
      startAuthorizationServer(cleanup),
      startAuthorizationServer(cleanup),
    ])
    Object.assign(mcp.metadata ?? {}, { authorization_servers: [abandoned.issuer] })
    await begin()
    await setAge(25 * 60 * 60_000)
    assert.deepEqual(new Set(await listIssuers()), new Set([used.issuer, abandoned.issuer]))
    Object.assign(mcp.metadata ?? {}, { authorization_servers: [next.issuer] })
    await begin()
    assert.deepEqual(new Set(await listIssuers()), new Set([used.issuer, next.issuer]))
  })

  it('says that a client is required where the server has no way to get one', async () => {
    as.settings.metadata.registration_endpoint = undefined
    const { error, message } = expectStatus(400, await callStart())
    assert.equal(error, 'client_required')
    assert.ok(message.includes(as.issuer), message)
  })

  it('shows why the server rejects a registration', async () => {
    as.settings.register = () => ({
      status: 400,
      body: { error: 'invalid_redirect_uri', error_description: 'Only https is welcome.' },
    })
    const message = await refusal()
    assert.match(
      message,
      /^client registration: .*"invalid_redirect_uri", Only https is welcome\.$/,
    )
    as.settings.register = () => ({ status: 201, body: { client_id: 'two\nlines' } })
    assert.match(await refusal(), /^client registration: .*client_id, which is not usable/)
  })

  it('finds metadata without a challenge, and names the step of what it does not find', async () => {
    mcp.challenge = 'Bearer realm="x"'
    assert.equal((await begin()).searchParams.get('scope'), 'tools offline_access')
    mcp.metadataPath = '/.well-known/oauth-protected-resource'
    Object.assign(mcp.metadata ?? {}, { resource: `${mcp.origin}/`, scopes_supported: undefined })
    const { searchParams } = await begin()
    assert.deepEqual(
      [searchParams.get('resource'), searchParams.get('scope')],
      [mcp.origin, 'offline_access'],
    )
    mcp.metadata = undefined
    assert.match(await refusal(), /^protected resource metadata: .*\/mcp has status 404.* 404/)
    assert.equal(mcp.requests.filter(({ request }) => request === 'POST /mcp').length, 3)
  })

  it('refuses a resource that is another one', async () => {
    const { url, origin } = mcp
    for (const resource of [
      `${origin}/mcp-evil`,
      `${origin}/other`,
      `${url}/deeper`,
      `${url}?a=b`,
      url.replace('127.0.0.1', 'localhost'),
      url.replace('//', '//user@'),
      url.replace(/:\d+/, ''),
      `https://${new URL(url).host}/mcp`,
      [url],
      undefined,
    ]) {
      Object.assign(mcp.metadata ?? {}, { resource })
      assert.match(await refusal(), /^protected resource metadata: .*has the resource/)
    }
  })

  it('refuses metadata that are not those of the issuer, or not safe', async () => {
    const { issuer } = as
    const usual = { ...as.settings.metadata }
    for (const [metadata, problem] of [
      [{ issuer: `${issuer}/` }, 'has the issuer'],
      [{ issuer: issuer.toUpperCase() }, 'has the issuer'],
      [{ code_challenge_methods_supported: ['plain'] }, 'does not list S256'],
      [{ code_challenge_methods_supported: undefined }, 'does not list S256'],
      [{ token_endpoint: undefined }, 'has no token_endpoint'],
      [{ token_endpoint: 'http://as.example.com/token' }, 'must be an https URL'],
      [{ authorization_endpoint: 'http://as.example.com/authorize' }, 'must be an https URL'],
      [{ authorization_endpoint: 'javascript:alert(1)' }, 'is not a plain URL'],
      [{ revocation_endpoint: 'https://user:pw@as.example.com/' }, 'is not a plain URL'],
      [{ token_endpoint: `https://as.example.com/?a=\${client_secret}` }, 'is not a plain URL'],
    ] as const) {
      as.settings.metadata = { ...usual, ...metadata }
      const message = await refusal()
      assert.match(message, /^authorization server metadata: /)
      assert.ok(message.includes(problem), message)
    }
  })

  it('validates the fields before it requests anything', async () => {
    for (const server_url of ['', 'not a URL', `${mcp.url}?key=1`]) {
      const { error } = expectStatus(400, await callStart({ config: { server_url } }))
      assert.equal(error, 'validation_failed', server_url)
    }
    assert.deepEqual(mcp.requests, [])
    assert.match(
      await refusal({ config: { server_url: 'http://mcp.example.com/mcp' } }),
      /^server: /,
    )
  })

  it('rejects a response without the advertised issuer', async () => {
    as.settings.sendsIss = false
    await signIn(await begin())
    assert.deepEqual([as.forms, (await listAccounts()).rows], [[], []])
    const attempts = await t.database.read
      .selectFrom('oauth_sessions')
      .select('outcome')
      .where('definition_id', '=', definitionId as never)
      .execute()
    assert.deepEqual(
      attempts.map(({ outcome }) => outcome),
      ['oauth_issuer_mismatch'],
    )
  })

  it('refreshes for the resource, sends tokens to its origin only, and revokes them', async () => {
    const { id } = await connect()
    await expire(id)
    assert.equal((await use(id)).status, 200)
    const refresh = as.forms.find(({ grant_type }) => grant_type === 'refresh_token')
    assert.deepEqual([refresh?.resource, refresh?.authorization], [mcp.url, ''])
    const elsewhere = await startMcpServer(cleanup, { issuer: as.issuer, isValid: () => true })
    const path = `/v1/integration_account/${id}/proxy/${elsewhere.url}`
    const refused = await t.call('GET', path)
    assert.equal(expectStatus(400, refused).error, 'proxy_target_not_allowed')
    assert.deepEqual(elsewhere.requests, [])
    const deleted = expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    assert.equal(deleted.revocation, 'revoked')
    assert.equal(as.requests.filter((each) => each === 'POST /tenant/a/revoke').length, 2)
  })

  it('reads the metadata again once a day, and follows an endpoint of the same issuer', async () => {
    const { id } = await connect()
    const countReads = () => as.requests.filter((each) => each.startsWith('GET /.well')).length
    const reads = countReads()
    await expire(id)
    assert.equal((await use(id)).status, 200)
    assert.equal(countReads(), reads)
    await expire(id, { discovered_at: Date.now() - 25 * 60 * 60_000 })
    as.settings.metadata.revocation_endpoint = undefined
    assert.equal((await use(id)).status, 200)
    assert.equal(countReads(), reads + 1)
    const deleted = expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    assert.equal(deleted.revocation, 'unsupported')
  })

  it('must be connected again when another authorization server issues the tokens', async () => {
    const { id } = await connect()
    const other = await startAuthorizationServer(cleanup)
    Object.assign(mcp.metadata ?? {}, { authorization_servers: [other.issuer] })
    as.settings.refuseTokens = { error: 'invalid_grant' }
    await expire(id)
    assert.equal(expectStatus(424, await use(id)).error, 'needs_reauth')
    const account = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.deepEqual(
      [account.status, account.statusReason],
      ['needs_reauth', 'authorization_server_changed'],
    )
    assert.deepEqual(other.forms, [])
    // A client that we registered follows the server: the reconnect registers one there.
    const url = await begin({ integrationAccountId: id })
    assert.equal(url.origin, other.issuer)
    assert.equal(other.registrations.length, 1)
  })

  it('offers the tool without an OAuth app, except to customers who need their own', async () => {
    const getMissing = async (options: Record<string, unknown>) => {
      const body = { linkName: 'MCP', integrationDefinitionIds: [definitionId], ...options }
      const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body }))
      return expectOk(await t.call('GET', `/v1/link/${linkId}`)).missingOAuthApps
    }
    assert.deepEqual(await getMissing({}), [])
    assert.deepEqual(await getMissing({ requireCustomerApp: true }), [definitionId])
  })
})
