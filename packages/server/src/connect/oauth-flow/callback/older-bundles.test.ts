import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { buildExampleBundles } from '../../../../../../examples/build.ts'
import { readAccountRow } from '../../../../test/account-rows.ts'
import {
  expectCreated,
  expectOk,
  type TestContext,
  testContext,
} from '../../../../test/test-context.ts'
import type { AccountId } from '../../../accounts/accounts/account.ts'
import { toAccount } from '../../../accounts/accounts/account-row-store.ts'
import { createEncryptionContext } from '../../../accounts/accounts/credentials/account-config.ts'
import { BASE_URL, newBrowser } from '../test/browser.ts'
import { openSealed } from '../test/open-sealed.ts'

const createKeySpec = (url: string) => ({
  auth_specification: {
    OAuth2: { authorization_url: `${url}/authorize`, token_url: `${url}/north/oauth/token` },
    'Api Key': {
      input_specification: { type: 'object', properties: { api_key: { type: 'string' } } },
    },
  },
})

describe('bundles that support only refresh tokens and API keys', () => {
  let t: TestContext
  /** The one valid refresh token; rotated on each use. */
  let currentRefreshToken = ''
  let issued = 0
  let givesRefreshTokens = true
  const grants: string[] = []

  before(async () => {
    t = await testContext()
    t.stubServer.serve('/north/oauth/token', async (request, response) => {
      const form = await readForm(request)
      grants.push(`${form.get('grant_type')} ${form.get('refresh_token') ?? ''}`.trim())
      const isValidGrant = form.has('code') || form.get('refresh_token') === currentRefreshToken
      if (!isValidGrant || form.get('client_secret') !== 'books-secret')
        return response.writeHead(400).end('{"error":"invalid_grant"}')
      currentRefreshToken = `refresh_${++issued}`
      const tokens = {
        access_token: `access_${issued}`,
        token_type: 'Bearer',
        expires_in: 3600,
        ...(givesRefreshTokens ? { refresh_token: currentRefreshToken } : {}),
      }
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(tokens))
    })
    t.stubServer.serve('/north/api/account', (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"subdomain":"north"}'),
    )
  })
  after(() => t.close())

  async function registerClient(integrationDefinitionId: unknown): Promise<void> {
    const client = {
      clientId: 'books-client',
      clientSecret: 'books-secret',
      allowedHosts: ['127.0.0.1'],
    }
    const body = { integrationDefinitionId, ...client }
    expectCreated(await t.call('POST', '/v1/integration_oauth', { body }))
  }

  /** Runs the flow; returns the return parameters. */
  async function completeFlow(start: Record<string, unknown>): Promise<URLSearchParams> {
    const body = {
      integrationAccountName: 'Books',
      redirectURL: 'http://localhost:9/back',
      confirm: false,
      ...start,
    }
    const { redirectURL } = expectOk(await t.call('POST', '/v1/oauth', { body }))
    const browser = newBrowser(t.app)
    const state = new URL(await browser.begin(redirectURL)).searchParams.get('state')
    const response = await browser.get(`${BASE_URL}/api/v1/oauth/callback?state=${state}&code=c`)
    return new URL(response.location ?? '').searchParams
  }

  async function connect(integrationDefinitionId: unknown, config = {}): Promise<AccountId> {
    await registerClient(integrationDefinitionId)
    const returnParams = await completeFlow({ integrationDefinitionId, config })
    assert.equal(returnParams.get('success'), 'true', returnParams.get('error') ?? '')
    return returnParams.get('integrationAccountId') as AccountId
  }

  const getRow = (id: AccountId) => readAccountRow(t.database, id)

  it('refresh once for CHECK and IDENTITY, and the latest tokens are stored or revoked', async () => {
    const url = `${t.stubServer.url}/north/oauth/token`
    const auth = { authorization_url: `${t.stubServer.url}/authorize`, token_url: url }
    const revocation_url = `${t.stubServer.url}/north/revoked`
    const revoked: (string | null)[] = []
    t.stubServer.serve('/north/revoked', async (request, response) => {
      revoked.push((await readForm(request)).get('token'))
      response.writeHead(200).end()
    })
    const code = `const spec = ${JSON.stringify({ auth_specification: { OAuth2: { ...auth, revocation_url } } })}
    const refresh = async (config) => {
      const body = new URLSearchParams({ ...config, grant_type: 'refresh_token' })
      const response = await fetch('${url}', { method: 'POST', body: String(body), headers: { 'content-type': 'application/x-www-form-urlencoded' } })
      return response.json()
    }
    exports.default = async (command, { config } = {}) => {
      if (command === 'SPEC') return spec
      const { access_token } = await refresh(config)
      if (command === 'CHECK') return { status: access_token !== undefined && config.mood !== 'refuses', error: 'no' }
      if (command === 'IDENTITY') return { id: access_token ?? 'unknown' }
      return { Authorization: 'Bearer ' + access_token }
    }`
    const { integrationDefinitionId } = await t.createDefinition({ code })
    grants.length = 0
    const row = await getRow(await connect(integrationDefinitionId))
    const sealed = await openSealed(t, createEncryptionContext(toAccount(row)), row.sealed_config)
    assert.deepEqual(
      grants.map((grant) => grant.split(' ')[0]),
      ['authorization_code', 'refresh_token'],
    )
    assert.deepEqual(
      [sealed.refresh_token, row.identity_id],
      [currentRefreshToken, sealed.access_token],
    )
    // A grant that a live account may share is not revoked.
    expectOk(await t.call('DELETE', `/v1/integration_account/${row.account_id}`))
    revoked.length = 0
    const returnParams = await completeFlow({
      integrationDefinitionId,
      config: { mood: 'refuses' },
    })
    assert.equal(returnParams.get('success'), 'false')
    assert.ok(revoked.includes(currentRefreshToken), 'the newest one is revoked')
  })

  it('of an older kit: the refresh token that CHECK obtained is stored', async () => {
    issued = 0
    const { books } = await buildExampleBundles()
    const { integrationDefinitionId } = await t.createDefinition({ code: books.code })
    grants.length = 0
    const config = { base_url: t.stubServer.url, subdomain: 'north', region: 'eu' }
    const row = await getRow(await connect(integrationDefinitionId, config))
    const sealed = await openSealed(t, createEncryptionContext(toAccount(row)), row.sealed_config)
    assert.deepEqual(grants, ['authorization_code', 'refresh_token refresh_1'])
    assert.equal(sealed.refresh_token, 'refresh_2')
    assert.equal(sealed.refresh_token, currentRefreshToken)
    assert.equal(sealed.access_token, 'access_2')
    assert.deepEqual([sealed.client_id, sealed.client_secret], [undefined, undefined])
    assert.equal(sealed.subdomain, 'north')
    assert.equal(row.status_reason, null)
  })

  it('receive the access token as an API key when there is no refresh token', async () => {
    givesRefreshTokens = false
    const code = `exports.default = async (command, { config } = {}) => {
      if (command === 'SPEC') return ${JSON.stringify(createKeySpec(t.stubServer.url))}
      if (command === 'CHECK') return { status: config.authType === 'Api Key' && config.api_key.startsWith('access_'), error: 'no refresh token' }
      return {}
    }`
    const { integrationDefinitionId } = await t.createDefinition({ code })
    const id = await connect(integrationDefinitionId)
    const account = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.equal(account.authType, 'Api Key')
    assert.deepEqual([account.status, account.statusReason], ['active', 'no_refresh_token'])
    const row = await getRow(id)
    assert.equal(
      (await openSealed(t, createEncryptionContext(toAccount(row)), row.sealed_config)).api_key,
      `access_${issued}`,
    )
    givesRefreshTokens = true
  })

  it('cannot use an API key through a link that requires OAuth', async () => {
    givesRefreshTokens = false
    const code = `exports.default = async (command, { config } = {}) => {
      if (command === 'SPEC') return ${JSON.stringify(createKeySpec(t.stubServer.url))}
      return { status: config.authType === 'Api Key', error: 'keys only' }
    }`
    const { integrationDefinitionId } = await t.createDefinition({ code })
    const createLink = async (preferOAuth: boolean) => {
      const body = { linkName: 'L', preferOAuth }
      return expectCreated(await t.call('POST', '/v1/link', { body })).linkId
    }
    await registerClient(integrationDefinitionId)
    const start = { integrationDefinitionId }
    const startThroughLink = await completeFlow({ ...start, linkId: await createLink(true) })
    assert.equal(startThroughLink.get('error'), 'auth_type_not_allowed')
    const open = await completeFlow({ ...start, linkId: await createLink(false) })
    assert.equal(open.get('success'), 'true')
    givesRefreshTokens = true
  })
})

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
