import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { type StubServer, startStubServer } from '../../../test/stub-server.ts'
import { expectError, expectOk, listAuditActions } from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import type { AccountId } from './account.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from './token-refresh/test/refresh-test-context.ts'

const text = { type: 'string' }
const SPEC = {
  auth_specification: {
    'Api Key': {
      input_specification: {
        type: 'object',
        required: ['api_key'],
        properties: {
          api_key: { type: 'string', format: 'password' },
          base_url: { type: ['string', 'null'], 'x-secret': false },
          server: { type: 'string', 'x-secret': false, pattern: '^https?:' },
          shop: text,
          port: { type: 'number', 'x-secret': false },
        },
      },
    },
    Token: { input_specification: { type: 'object', properties: { base_url: text } } },
  },
}

describe('POST /v1/integration_account/{id} reusing stored secrets with changed fields', () => {
  let context: RefreshTestContext
  let otherOrigin: StubServer
  let definitionId: string
  let write: string
  before(async () => {
    context = await startRefreshTestContext()
    otherOrigin = await startStubServer()
    otherOrigin.serve('/check', (_request, response) => response.writeHead(401).end())
    const definition = await context.t.createDefinition({ code: createMiniBundle(SPEC) })
    definitionId = definition.integrationDefinitionId
    write = await context.t.createToken({ scopes: ['write'] })
  })
  after(async () => {
    await context.close()
    await otherOrigin.close()
  })
  beforeEach(() => {
    otherOrigin.requests.length = 0
    context.provider.calls.length = 0
  })

  const stored = () => ({
    api_key: 'stored-key',
    base_url: context.t.stubServer.url,
    server: 'https://one.example',
    shop: 'one',
    port: 1,
    hidden: { inside: 'stored-too' },
  })
  const createAccount = async (config: object = stored()) =>
    (await context.t.createAccount(definitionId, { config })).integrationAccountId
  const update = (id: AccountId, body: unknown, token = write) =>
    context.t.call('POST', `/v1/integration_account/${id}`, { body, token })
  const listMissingFields = async (id: AccountId, config: object) =>
    Object.keys(expectError(await update(id, { config }), 'secret_required').errors).sort()
  const attempts = async (id: AccountId) => {
    const rows = await selectAuditEntries(context.t.database.read)
      .select(['detail', 'token_id'])
      .where('subject', '=', id)
      .where('action', '=', 'account.change_requested')
      .orderBy('event_id')
      .execute()
    assert.ok(rows.every(({ token_id }) => token_id !== null && token_id !== ''))
    return rows.map(({ detail }) => JSON.parse(detail))
  }
  const ALL_SECRETS = ['config.api_key', 'config.hidden', 'config.shop']

  it('POST /v1/integration_account/{id}: 403 secret_required for a changed host alone; the stored key is not sent, and the attempt is audited', async () => {
    const id = await createAccount()
    const response = await update(id, { config: { base_url: otherOrigin.url } })
    const { errors, message } = expectError(response, 'secret_required')
    assert.deepEqual(Object.keys(errors).sort(), ALL_SECRETS)
    assert.match(message, /errors.*credentials:read/)
    assert.doesNotMatch(response.text, /stored-(?:key|too)/)
    assert.deepEqual(otherOrigin.requests, [])
    assert.deepEqual(await context.config(id), stored())
    assert.deepEqual(await listAuditActions(context.t, id), [
      'account.created',
      'account.change_requested',
    ])
    assert.deepEqual(await attempts(id), [
      {
        through: 'update',
        changed: ['base_url'],
        refused: 'secret_required',
        missing: ['api_key', 'hidden', 'shop'],
      },
    ])
  })

  it('POST /v1/integration_account/{id}: 403 secret_required for every kind of changed field, whatever its name, added, removed or nested', async () => {
    const id = await createAccount()
    for (const config of [
      { server: 'https://two.example' },
      { port: 2 },
      { base_url: null },
      { url: 'https://unknown.example' },
      { base_url: `${stored().base_url}/` },
    ])
      assert.deepEqual(await listMissingFields(id, config), ALL_SECRETS, JSON.stringify(config))
    assert.deepEqual(await listMissingFields(id, { shop: 'two' }), [
      'config.api_key',
      'config.hidden',
    ])
    const nested = { hidden: { inside: 'stored-too', host: 'x' }, shop: 'one' }
    assert.deepEqual(await listMissingFields(id, nested), ['config.api_key'])
    assert.deepEqual(await listMissingFields(id, { api_key: 'new-key' }), [
      'config.hidden',
      'config.shop',
    ])
    assert.deepEqual(await context.config(id), stored())
  })

  it('POST /v1/integration_account/{id}: 200 if every secret is sent again or the caller has credentials:read', async () => {
    const id = await createAccount()
    const { api_key, hidden, shop } = stored()
    const config = { api_key, hidden, shop, server: 'https://two.example' }
    expectOk(await update(id, { config }))
    const both = await context.t.createToken({ scopes: ['write', 'credentials:read'] })
    expectOk(await update(id, { config: { server: 'https://three.example' } }, both))
    assert.deepEqual(await context.config(id), { ...stored(), server: 'https://three.example' })
    assert.deepEqual(
      await attempts(id),
      ['server', 'server'].map((name) => ({ through: 'update', changed: [name] })),
    )
  })

  it('POST /v1/integration_account/{id}: 200 if nothing changes: identical value, empty configuration, or a name only', async () => {
    const id = await createAccount()
    const { server, port, base_url } = stored()
    for (const body of [
      { config: {} },
      { config: { server, port, base_url } },
      { config: { authType: 'Token' } },
      { authType: 'Api Key' },
      { integrationAccountName: 'Other' },
    ])
      expectOk(await update(id, body))
    assert.deepEqual(await context.config(id), stored())
  })

  it('POST /v1/integration_account/{id}: 200 for another auth type, which reuses nothing of the configuration', async () => {
    const id = await createAccount()
    expectOk(
      await update(id, { authType: 'Token', config: { base_url: context.t.stubServer.url } }),
    )
    assert.deepEqual(await context.config(id), { base_url: context.t.stubServer.url })
    assert.deepEqual(await attempts(id), [{ through: 'update', changed: ['authType', 'base_url'] }])
  })

  it('POST /v1/integration_account/{id}: 400 credentials_rejected; the attempt is audited although CHECK fails', async () => {
    const id = await createAccount({ api_key: 'stored-key' })
    const config = { api_key: 'stored-key', base_url: otherOrigin.url }
    expectError(await update(id, { config }), 'credentials_rejected')
    assert.deepEqual(otherOrigin.requests, ['GET /check'])
    assert.deepEqual(await attempts(id), [{ through: 'update', changed: ['base_url'] }])
  })

  it('POST /v1/integration_account/{id}: 400 and 404 take precedence over 403 secret_required', async () => {
    const id = await createAccount()
    const config = { server: 'ftp://elsewhere.example' }
    expectError(await update(id, { config }), 'validation_failed')
    expectError(await update(id, { config, authType: 'None' }), 'auth_type_not_allowed')
    const otherUser = await context.t.otherUser()
    const body = { config: { base_url: otherOrigin.url } }
    expectError(await update(id, body, otherUser.token), 'integration_account_not_found')
    const read = await context.t.createToken({ scopes: ['read', 'credentials:read'] })
    expectError(await update(id, body, read), 'insufficient_scope')
    assert.deepEqual(await attempts(id), [])
  })

  it("POST /v1/integration_account/{id}: 403 secret_required covers the tokens and the app's client secret for an account of an OAuth app", async () => {
    const code = createMiniBundle(
      createOAuthSpec(context.provider, {
        input_specification: { type: 'object', properties: { base_url: text } },
      }),
    )
    const { id, family } = await context.account({
      code,
      row: { token_expires_at: 1, refresh_at: 1 },
    })
    const change = { base_url: otherOrigin.url }
    const names = ['config.access_token', 'config.client_secret', 'config.refresh_token']
    assert.deepEqual(await listMissingFields(id, change), names)
    const { refreshToken: refresh_token, accessToken: access_token } = family
    const resent = { ...change, refresh_token, access_token }
    assert.deepEqual(await listMissingFields(id, resent), ['config.client_secret'])
    assert.deepEqual(context.provider.calls, [], 'a rejected update must not use the refresh token')
    assert.equal((await context.row(id)).lease_owner, null)
    const next = context.provider.newFamily()
    expectOk(await update(id, { config: { refresh_token: next.refreshToken } }))
    assert.deepEqual(otherOrigin.requests, [])
  })
})
