import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../../test/it-requires-scope.ts'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectOk,
  testContext,
} from '../../../../test/test-context.ts'
import { RETURN_URL } from '../test/oauth-test-context.ts'
import type { StubProviderContext } from '../test/stub-provider-context.ts'

const TEMPLATED = {
  auth_specification: {
    OAuth2: {
      input_specification: {
        type: 'object',
        required: ['subdomain', 'client_id', 'client_secret', 'refresh_token'],
        properties: {
          subdomain: { type: 'string', pattern: '^[a-z]{2,20}$' },
          client_id: { type: 'string' },
        },
      },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the protocol's own placeholder
      authorization_url: 'https://${subdomain}.books.example/authorize',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the protocol's own placeholder
      token_url: 'https://${subdomain}.books.example/token',
    },
    'Api Key': { input_specification: { type: 'object', properties: {} } },
  },
}

describe('POST /v1/oauth', () => {
  let t: StubProviderContext
  before(async () => {
    t = await testContext({ provider: true })
  })
  after(() => t.close())

  const start = (body: Record<string, unknown>, token = t.token) =>
    t.call('POST', '/v1/oauth', { body, token })
  const validBody = () => ({
    integrationDefinitionId: t.definitionId,
    integrationAccountName: 'An account',
    redirectURL: RETURN_URL,
  })

  itRequiresScope(() => t, 'POST', '/v1/oauth', { scope: 'accounts:write', body: {} })

  it('200: returns a page URL per start, and stores neither its token nor a secret in plain text', async () => {
    const first = expectOk(await start(validBody()))
    const second = expectOk(
      await start({
        ...validBody(),
        integrationDefinitionId: null,
        integrationOAuthAppId: t.appId,
      }),
    )
    assert.deepEqual(Object.keys(first), ['status', 'redirectURL'])
    assert.equal(first.status, 200)
    assert.notEqual(first.redirectURL, second.redirectURL)
    const rows = await t.database.read.selectFrom('oauth_sessions').selectAll().execute()
    const token = first.redirectURL.split('/').at(-1)
    assert.ok(rows.every((row) => !JSON.stringify(row).includes(token)))
  })

  it('400: names the missing field', async () => {
    const { integrationAccountName: _name, ...withoutName } = validBody()
    const { integrationDefinitionId: _id, ...withoutDefinition } = validBody()
    const { redirectURL: _url, ...withoutRedirectUrl } = validBody()
    assert.ok(
      'integrationAccountName' in expectError(await start(withoutName), 'validation_failed').errors,
    )
    assert.ok(
      'integrationDefinitionId' in
        expectError(await start(withoutDefinition), 'validation_failed').errors,
    )
    const { errors } = expectError(await start(withoutRedirectUrl), 'validation_failed')
    assert.match(errors.redirectURL[0].message, /"confirm": false/)
    expectOk(await start({ ...withoutRedirectUrl, confirm: false }))
    expectError(await start({ ...validBody(), surprise: 1 }), 'validation_failed')
  })

  it('400: a redirectURL that the workspace does not allow', async () => {
    for (const redirectURL of ['https://evil.example/', `${RETURN_URL}&x=1`, 'javascript:alert(1)'])
      expectError(await start({ ...validBody(), redirectURL }), 'redirect_url_not_allowed')
  })

  it('400: the same error for foreign, unknown and malformed references; 403 for a workspace', async () => {
    const otherUser = await t.otherUser()
    const otherUsersDefinition = await t.createDefinition({ token: otherUser.token })
    for (const integrationDefinitionId of [
      otherUsersDefinition.integrationDefinitionId,
      'def_x',
      'nonsense',
    ])
      expectError(await start({ ...validBody(), integrationDefinitionId }), 'unknown_reference')
    expectError(
      await start({ ...validBody(), integrationOAuthAppId: 'oap_x' }),
      'unknown_reference',
    )
    expectError(await start({ ...validBody(), linkId: 'lnk_x' }), 'unknown_reference')
    expectError(await start({ ...validBody(), integrationAccountId: 'acc_x' }), 'unknown_reference')
    expectError(
      await start({ ...validBody(), workspaceId: otherUser.workspaceId }),
      'workspace_not_accessible',
    )
    expectError(await start(validBody(), otherUser.token), 'unknown_reference')
    expectError(
      await start({ ...validBody(), integrationOAuthAppId: t.appId }, otherUser.token),
      'unknown_reference',
    )
  })

  it('400: an OAuth app of another definition', async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    const body = { ...validBody(), integrationDefinitionId, integrationOAuthAppId: t.appId }
    expectError(await start(body), 'unknown_reference')
  })

  it('400: no auth type that uses OAuth, or no OAuth app', async () => {
    expectError(await start({ ...validBody(), authType: 'Api Key' }), 'auth_type_not_allowed')
    expectError(await start({ ...validBody(), authType: '__proto__' }), 'auth_type_not_allowed')
    const { integrationDefinitionId } = await t.createDefinition()
    const { message } = expectError(
      await start({ ...validBody(), integrationDefinitionId }),
      'oauth_app_missing',
    )
    assert.match(message, /POST \/v1\/integration_oauth/)
    const apiKeyDefinition = createMiniBundle({ auth_specification: { 'Api Key': {} } })
    const without = await t.createDefinition({ code: apiKeyDefinition })
    expectError(
      await start({ ...validBody(), integrationDefinitionId: without.integrationDefinitionId }),
      'auth_type_not_allowed',
    )
  })

  it('400: a configuration that does not match the spec, except for fields that the provider fills', async () => {
    const { integrationDefinitionId } = await t.createDefinition({
      code: createMiniBundle(TEMPLATED),
    })
    const allowedHosts = ['*.books.example']
    const app = { integrationDefinitionId, clientId: 'x', clientSecret: 'y', allowedHosts }
    expectCreated(await t.call('POST', '/v1/integration_oauth', { body: app }))
    const body = { ...validBody(), integrationDefinitionId }
    assert.ok('config.subdomain' in expectError(await start(body), 'validation_failed').errors)
    for (const subdomain of ['evil.example/', 'a@evil', 'north.evil', 'NORTH', '', 7, ['north']])
      expectError(await start({ ...body, config: { subdomain } }), 'validation_failed')
    const page = expectOk(await start({ ...body, config: { subdomain: 'north' } })).redirectURL
    assert.match((await t.browser.get(page)).text, /north\.books\.example/)
  })

  it('400: a definition that the link does not allow, or an expired link', async () => {
    const createLink = async (overrides: Record<string, unknown>) =>
      expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'L', ...overrides } }))
        .linkId
    const linkId = await createLink({ integrationDefinitionId: t.definitionId, preferOAuth: true })
    expectOk(await start({ ...validBody(), linkId }))
    expectError(
      await start({ ...validBody(), linkId, workspaceId: t.workspaceId }),
      'validation_failed',
    )
    const { integrationDefinitionId } = await t.createDefinition()
    expectError(
      await start({ ...validBody(), linkId, integrationDefinitionId }),
      'unknown_reference',
    )
    expectOk(await t.call('DELETE', `/v1/link/${linkId}`))
    expectError(await start({ ...validBody(), linkId }), 'link_revoked')
  })

  it('stores nothing on an error', async () => {
    const before = await countRows(t, 'oauth_sessions')
    expectError(
      await start({ ...validBody(), redirectURL: 'https://evil.example/' }),
      'redirect_url_not_allowed',
    )
    assert.equal(await countRows(t, 'oauth_sessions'), before)
  })
})
