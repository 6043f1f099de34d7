import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { exampleBundles } from '../../../../../examples/build.ts'
import { created, fine, startWorld, type World } from '../../../test/fixtures.ts'
import { sealedPlace } from '../../account/config/sealed-config.ts'
import { BASE_URL, newBrowser } from '../test/browser.ts'
import { openSealed } from '../test/open-sealed.ts'

const KEY_SPEC = (url: string) => ({
  auth_specification: {
    OAuth2: { authorization_url: `${url}/authorize`, token_url: `${url}/north/oauth/token` },
    'Api Key': {
      input_specification: { type: 'object', properties: { api_key: { type: 'string' } } },
    },
  },
})

describe('bundles that know only refresh tokens and keys', () => {
  let t: World
  /** The one refresh token that is good now; each use ends it. */
  let alive = ''
  let issued = 0
  let givesRefreshTokens = true
  const grants: string[] = []

  before(async () => {
    t = await startWorld()
    t.origin.serve('/north/oauth/token', async (request, response) => {
      const form = await readForm(request)
      grants.push(`${form.get('grant_type')} ${form.get('refresh_token') ?? ''}`.trim())
      const isGood = form.has('code') || form.get('refresh_token') === alive
      if (!isGood || form.get('client_secret') !== 'books-secret')
        return response.writeHead(400).end('{"error":"invalid_grant"}')
      alive = `refresh_${++issued}`
      const tokens = {
        access_token: `access_${issued}`,
        token_type: 'Bearer',
        expires_in: 3600,
        ...(givesRefreshTokens ? { refresh_token: alive } : {}),
      }
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(tokens))
    })
    t.origin.serve('/north/api/account', (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"subdomain":"north"}'),
    )
  })
  after(() => t.close())

  async function connect(definitionId: unknown, config = {}): Promise<string> {
    const app = {
      integrationDefinitionId: definitionId,
      clientId: 'books-client',
      clientSecret: 'books-secret',
    }
    created(await t.call('POST', '/v1/integration_oauth', { body: app }))
    const body = {
      integrationDefinitionId: definitionId,
      integrationAccountName: 'Books',
      redirectURL: 'http://localhost:9/back',
      confirm: false,
      config,
    }
    const { redirectURL } = fine(await t.call('POST', '/v1/oauth', { body }))
    const browser = newBrowser(t.app)
    const state = new URL(await browser.begin(redirectURL)).searchParams.get('state')
    const visit = await browser.get(`${BASE_URL}/api/v1/oauth/callback?state=${state}&code=c`)
    const back = new URL(visit.location ?? '').searchParams
    assert.equal(back.get('success'), 'true', back.get('error') ?? '')
    return back.get('integrationAccountId') ?? ''
  }

  const rowOf = (id: string) =>
    t.database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()

  it('of the real kit end with the refresh token that its HEADERS was given last: no rotation is lost', async () => {
    const { books } = await exampleBundles()
    const { integrationDefinitionId } = await t.define({ code: books.code })
    grants.length = 0
    const config = { base_url: t.origin.url, subdomain: 'north', region: 'eu' }
    const row = await rowOf(await connect(integrationDefinitionId, config))
    const sealed = await openSealed(t, sealedPlace(row), row.sealed_config)
    assert.deepEqual(grants, ['authorization_code', 'refresh_token refresh_1'])
    assert.equal(sealed.refresh_token, 'refresh_2')
    assert.equal(sealed.refresh_token, alive)
    assert.equal(sealed.access_token, 'access_2')
    assert.deepEqual([sealed.client_id, sealed.client_secret], [undefined, undefined])
    assert.equal(sealed.subdomain, 'north')
    assert.equal(row.status_reason, null)
  })

  it('take the access token as a key when no refresh token comes', async () => {
    givesRefreshTokens = false
    const code = `exports.default = async (command, { config } = {}) => {
      if (command === 'SPEC') return ${JSON.stringify(KEY_SPEC(t.origin.url))}
      if (command === 'CHECK') return { status: config.authType === 'Api Key' && config.api_key.startsWith('access_'), error: 'no refresh token' }
      return {}
    }`
    const { integrationDefinitionId } = await t.define({ code })
    const id = await connect(integrationDefinitionId)
    const account = fine(await t.call('GET', `/v1/integration_account/${id}`))
    assert.equal(account.authType, 'Api Key')
    assert.deepEqual([account.status, account.statusReason], ['active', 'no_refresh_token'])
    const row = await rowOf(id)
    assert.equal(
      (await openSealed(t, sealedPlace(row), row.sealed_config)).api_key,
      `access_${issued}`,
    )
    givesRefreshTokens = true
  })
})

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
