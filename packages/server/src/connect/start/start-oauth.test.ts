import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../../test/access.ts'
import { countRows, created, fine, refused } from '../../../test/fixtures.ts'
import { miniBundle } from '../../../test/mini-bundle.ts'
import { HOME } from '../test/oauth-world.ts'
import { type StubWorld, startStubWorld } from '../test/stub-world.ts'

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
  let t: StubWorld
  before(async () => {
    t = await startStubWorld()
  })
  after(() => t.close())

  const start = (body: Record<string, unknown>, token = t.token) =>
    t.call('POST', '/v1/oauth', { body, token })
  const good = () => ({
    integrationDefinitionId: t.definitionId,
    integrationAccountName: 'An account',
    redirectURL: HOME,
  })

  itGuards(() => t, 'POST', '/v1/oauth', { scope: 'accounts:write', body: {} })

  it('200: answers a page for each start, and keeps neither its token nor a secret in clear', async () => {
    const first = fine(await start(good()))
    const second = fine(
      await start({ ...good(), integrationDefinitionId: null, integrationOAuthAppId: t.appId }),
    )
    assert.deepEqual(Object.keys(first), ['status', 'redirectURL'])
    assert.equal(first.status, 200)
    assert.notEqual(first.redirectURL, second.redirectURL)
    const rows = await t.database.read.selectFrom('oauth_attempts').selectAll().execute()
    const token = first.redirectURL.split('/').at(-1)
    assert.ok(rows.every((row) => !JSON.stringify(row).includes(token)))
  })

  it('400: names what is missing', async () => {
    const { integrationAccountName: _name, ...nameless } = good()
    const { integrationDefinitionId: _id, ...toolless } = good()
    const { redirectURL: _url, ...homeless } = good()
    assert.ok(
      'integrationAccountName' in refused(await start(nameless), 'validation_failed').errors,
    )
    assert.ok(
      'integrationDefinitionId' in refused(await start(toolless), 'validation_failed').errors,
    )
    const { errors } = refused(await start(homeless), 'validation_failed')
    assert.match(errors.redirectURL[0].message, /"confirm": false/)
    fine(await start({ ...homeless, confirm: false }))
    refused(await start({ ...good(), surprise: 1 }), 'validation_failed')
  })

  it('400: sends nobody where the workspace did not say', async () => {
    for (const redirectURL of ['https://evil.example/', `${HOME}&x=1`, 'javascript:alert(1)'])
      refused(await start({ ...good(), redirectURL }), 'redirect_url_not_allowed')
  })

  it('400: foreign, unknown and malformed references are told alike; 403 for a workspace', async () => {
    const other = await t.stranger()
    const theirs = await t.define({ token: other.token })
    for (const integrationDefinitionId of [theirs.integrationDefinitionId, 'def_x', 'nonsense'])
      refused(await start({ ...good(), integrationDefinitionId }), 'unknown_reference')
    refused(await start({ ...good(), integrationOAuthAppId: 'oap_x' }), 'unknown_reference')
    refused(await start({ ...good(), linkId: 'lnk_x' }), 'unknown_reference')
    refused(await start({ ...good(), integrationAccountId: 'acc_x' }), 'unknown_reference')
    refused(await start({ ...good(), workspaceId: other.workspaceId }), 'workspace_not_accessible')
    refused(await start(good(), other.token), 'unknown_reference')
    refused(
      await start({ ...good(), integrationOAuthAppId: t.appId }, other.token),
      'unknown_reference',
    )
  })

  it('400: an app of another definition does not fit', async () => {
    const { integrationDefinitionId } = await t.define()
    const body = { ...good(), integrationDefinitionId, integrationOAuthAppId: t.appId }
    refused(await start(body), 'unknown_reference')
  })

  it('400: needs an auth type with sign-in, and an app', async () => {
    refused(await start({ ...good(), authType: 'Api Key' }), 'auth_type_not_allowed')
    refused(await start({ ...good(), authType: '__proto__' }), 'auth_type_not_allowed')
    const { integrationDefinitionId } = await t.define()
    const { message } = refused(
      await start({ ...good(), integrationDefinitionId }),
      'oauth_app_missing',
    )
    assert.match(message, /POST \/v1\/integration_oauth/)
    const keysOnly = miniBundle({ auth_specification: { 'Api Key': {} } })
    const without = await t.define({ code: keysOnly })
    refused(
      await start({ ...good(), integrationDefinitionId: without.integrationDefinitionId }),
      'auth_type_not_allowed',
    )
  })

  it('400: a configuration must fit the spec, but for what sign-in fills', async () => {
    const { integrationDefinitionId } = await t.define({ code: miniBundle(TEMPLATED) })
    const allowedHosts = ['*.books.example']
    const app = { integrationDefinitionId, clientId: 'x', clientSecret: 'y', allowedHosts }
    created(await t.call('POST', '/v1/integration_oauth', { body: app }))
    const body = { ...good(), integrationDefinitionId }
    assert.ok('config.subdomain' in refused(await start(body), 'validation_failed').errors)
    for (const subdomain of ['evil.example/', 'a@evil', 'north.evil', 'NORTH', '', 7, ['north']])
      refused(await start({ ...body, config: { subdomain } }), 'validation_failed')
    const page = fine(await start({ ...body, config: { subdomain: 'north' } })).redirectURL
    assert.match((await t.browser.get(page)).text, /north\.books\.example/)
  })

  it('400: a link says what may be connected, and until when', async () => {
    const link = async (more: Record<string, unknown>) =>
      created(await t.call('POST', '/v1/link', { body: { linkName: 'L', ...more } })).linkId
    const linkId = await link({ integrationDefinitionId: t.definitionId, preferOAuth: true })
    fine(await start({ ...good(), linkId }))
    refused(await start({ ...good(), linkId, workspaceId: t.workspaceId }), 'validation_failed')
    const { integrationDefinitionId } = await t.define()
    refused(await start({ ...good(), linkId, integrationDefinitionId }), 'unknown_reference')
    fine(await t.call('DELETE', `/v1/link/${linkId}`))
    refused(await start({ ...good(), linkId }), 'link_revoked')
  })

  it('stores nothing when it refuses', async () => {
    const before = await countRows(t, 'oauth_attempts')
    refused(
      await start({ ...good(), redirectURL: 'https://evil.example/' }),
      'redirect_url_not_allowed',
    )
    assert.equal(await countRows(t, 'oauth_attempts'), before)
  })
})
