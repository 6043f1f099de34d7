import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { auditOf, fine, refused } from '../../test/fixtures.ts'
import { miniBundle } from '../../test/mini-bundle.ts'
import { type Origin, startOrigin } from '../../test/origin.ts'
import { oauthSpec, type RenewalWorld, startRenewalWorld } from './renewal/test/renewal-world.ts'

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

describe('POST /v1/integration_account/{id}: stored secrets beside changed fields', () => {
  let world: RenewalWorld
  let elsewhere: Origin
  let definitionId: string
  let write: string
  before(async () => {
    world = await startRenewalWorld()
    elsewhere = await startOrigin()
    elsewhere.serve('/check', (_request, response) => response.writeHead(401).end())
    const definition = await world.t.define({ code: miniBundle(SPEC) })
    definitionId = String(definition.integrationDefinitionId)
    write = await world.t.mint({ scopes: ['write'] })
  })
  after(async () => {
    await world.close()
    await elsewhere.close()
  })
  beforeEach(() => {
    elsewhere.requests.length = 0
    world.provider.calls.length = 0
  })

  const stored = () => ({
    api_key: 'stored-key',
    base_url: world.t.origin.url,
    server: 'https://one.example',
    shop: 'one',
    port: 1,
    hidden: { inside: 'stored-too' },
  })
  const make = async (config: object = stored()) =>
    String((await world.t.connect(definitionId, { config })).integrationAccountId)
  const update = (id: string, body: unknown, token = write) =>
    world.t.call('POST', `/v1/integration_account/${id}`, { body, token })
  const missing = async (id: string, config: object) =>
    Object.keys(refused(await update(id, { config }), 'secret_required').errors).sort()
  const attempts = async (id: string) => {
    const rows = await world.t.database.read
      .selectFrom('audit_events')
      .select(['detail', 'token_id'])
      .where('subject', '=', id)
      .where('action', '=', 'account.change_requested')
      .orderBy('event_id')
      .execute()
    assert.ok(rows.every(({ token_id }) => token_id !== null && token_id !== ''))
    return rows.map(({ detail }) => JSON.parse(detail))
  }
  const ALL = ['config.api_key', 'config.hidden', 'config.shop']

  it('403 secret_required: a changed host alone sends the stored key nowhere, and leaves an audit row', async () => {
    const id = await make()
    const answer = await update(id, { config: { base_url: elsewhere.url } })
    const { errors, message } = refused(answer, 'secret_required')
    assert.deepEqual(Object.keys(errors).sort(), ALL)
    assert.match(message, /errors.*credentials:read/)
    assert.doesNotMatch(answer.text, /stored-(?:key|too)/)
    assert.deepEqual(elsewhere.requests, [])
    assert.deepEqual(await world.config(id), stored())
    assert.deepEqual(await auditOf(world.t, id), ['account.created', 'account.change_requested'])
    assert.deepEqual(await attempts(id), [
      {
        through: 'update',
        changed: ['base_url'],
        refused: 'secret_required',
        missing: ['api_key', 'hidden', 'shop'],
      },
    ])
  })

  it('403 secret_required: for every class of field, whatever its name, added, removed or nested', async () => {
    const id = await make()
    for (const config of [
      { server: 'https://two.example' },
      { port: 2 },
      { base_url: null },
      { url: 'https://unknown.example' },
      { base_url: `${stored().base_url}/` },
    ])
      assert.deepEqual(await missing(id, config), ALL, JSON.stringify(config))
    assert.deepEqual(await missing(id, { shop: 'two' }), ['config.api_key', 'config.hidden'])
    const nested = { hidden: { inside: 'stored-too', host: 'x' }, shop: 'one' }
    assert.deepEqual(await missing(id, nested), ['config.api_key'])
    assert.deepEqual(await missing(id, { api_key: 'new-key' }), ['config.hidden', 'config.shop'])
    assert.deepEqual(await world.config(id), stored())
  })

  it('200: every secret is sent again, or the caller holds credentials:read', async () => {
    const id = await make()
    const { api_key, hidden, shop } = stored()
    const config = { api_key, hidden, shop, server: 'https://two.example' }
    fine(await update(id, { config }))
    const both = await world.t.mint({ scopes: ['write', 'credentials:read'] })
    fine(await update(id, { config: { server: 'https://three.example' } }, both))
    assert.deepEqual(await world.config(id), { ...stored(), server: 'https://three.example' })
    assert.deepEqual(
      await attempts(id),
      ['server', 'server'].map((name) => ({ through: 'update', changed: [name] })),
    )
  })

  it('200: nothing changes, by an identical value, an empty configuration, or a name', async () => {
    const id = await make()
    const { server, port, base_url } = stored()
    for (const body of [
      { config: {} },
      { config: { server, port, base_url } },
      { config: { authType: 'Token' } },
      { authType: 'Api Key' },
      { integrationAccountName: 'Other' },
    ])
      fine(await update(id, body))
    assert.deepEqual(await world.config(id), stored())
  })

  it('200: another auth type reuses nothing of the configuration', async () => {
    const id = await make()
    fine(await update(id, { authType: 'Token', config: { base_url: world.t.origin.url } }))
    assert.deepEqual(await world.config(id), { base_url: world.t.origin.url })
    assert.deepEqual(await attempts(id), [{ through: 'update', changed: ['authType', 'base_url'] }])
  })

  it('400 credentials_rejected: the attempt is in the audit trail although CHECK fails', async () => {
    const id = await make({ api_key: 'stored-key' })
    const config = { api_key: 'stored-key', base_url: elsewhere.url }
    refused(await update(id, { config }), 'credentials_rejected')
    assert.deepEqual(elsewhere.requests, ['GET /check'])
    assert.deepEqual(await attempts(id), [{ through: 'update', changed: ['base_url'] }])
  })

  it('400 and 404 come before 403 secret_required', async () => {
    const id = await make()
    const config = { server: 'ftp://elsewhere.example' }
    refused(await update(id, { config }), 'validation_failed')
    refused(await update(id, { config, authType: 'None' }), 'auth_type_not_allowed')
    const stranger = await world.t.stranger()
    const body = { config: { base_url: elsewhere.url } }
    refused(await update(id, body, stranger.token), 'integration_account_not_found')
    const read = await world.t.mint({ scopes: ['read', 'credentials:read'] })
    refused(await update(id, body, read), 'insufficient_scope')
    assert.deepEqual(await attempts(id), [])
  })

  it("403 secret_required: of an account of an OAuth app, its tokens and the app's secret too", async () => {
    const code = miniBundle(
      oauthSpec(world.provider, {
        input_specification: { type: 'object', properties: { base_url: text } },
      }),
    )
    const { id, family } = await world.account({ code, row: { token_expires_at: 1, renew_at: 1 } })
    const change = { base_url: elsewhere.url }
    const names = ['config.access_token', 'config.client_secret', 'config.refresh_token']
    assert.deepEqual(await missing(id, change), names)
    const { refreshToken: refresh_token, accessToken: access_token } = family
    const again = { ...change, refresh_token, access_token }
    assert.deepEqual(await missing(id, again), ['config.client_secret'])
    assert.deepEqual(world.provider.calls, [], 'a refused update uses no refresh token')
    assert.equal((await world.row(id)).lease_owner, null)
    const next = world.provider.newFamily()
    fine(await update(id, { config: { refresh_token: next.refreshToken } }))
    assert.deepEqual(elsewhere.requests, [])
  })
})
