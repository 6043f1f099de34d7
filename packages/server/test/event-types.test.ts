import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import { loadRuntimes } from '@linchpin/catalogue'
import { Ajv2020 as Ajv, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import {
  type RecordExpiringTokensDeps,
  recordExpiringTokens,
} from '../src/access/tokens/record-expiring-tokens.ts'
import { createTokenStore } from '../src/access/tokens/token-store.ts'
import type { WorkspaceId } from '../src/access/workspaces/workspace.ts'
import { type AccountId, NEVER_REJECTED } from '../src/accounts/accounts/account.ts'
import { STORED_HEALTH } from '../src/accounts/accounts/account-health.ts'
import { decideRejection } from '../src/accounts/accounts/health/definition-breaker-store.ts'
import { createNeedWriter } from '../src/accounts/accounts/needed-scopes.ts'
import { serializeEvent } from '../src/activity/events/event.ts'
import { createExampleEvent } from '../src/app/observability/openapi.ts'
import { createValidFormValues, defineDesk } from '../src/connect/connect-page/test/desk.ts'
import { createVisitedSessionStore } from '../src/connect/connect-sessions/connect-session-store.ts'
import {
  type EndConnectSessionsDeps,
  endConnectSessions,
} from '../src/connect/connect-sessions/record-connect-session-change.ts'
import { createLinkStore } from '../src/connect/links/link-store.ts'
import {
  type RecordExpiredLinksDeps,
  recordExpiredLinks,
} from '../src/connect/links/record-link-change.ts'
import {
  getReturnParams,
  ISSUER,
  respondWithJson,
} from '../src/connect/oauth-flow/test/stub-provider-context.ts'
import { createCatalogueStore } from '../src/integrations/catalogue/catalogue-store.ts'
import { listBundledIntegrations } from '../src/integrations/catalogue/offered-integration.ts'
import { syncCatalogue } from '../src/integrations/catalogue/sync-catalogue.ts'
import {
  type RecordAvailableUpdatesDeps,
  recordAvailableUpdates,
} from '../src/integrations/catalogue/workspace-pins-store.ts'
import { createBundleStore } from '../src/integrations/definitions/bundle-store.ts'
import type { DefinitionId } from '../src/integrations/definitions/definition.ts'
import { createLog } from '../src/platform/http/log.ts'
import { EVENT_TYPES } from '../src/platform/record/event-types.ts'
import { newId } from '../src/platform/storage/id.ts'
import type { AnyBody } from './any-body.ts'
import { createFactsBundle } from './facts-bundle.ts'
import { createMiniBundle, MINI_SPEC } from './mini-bundle.ts'
import { describeOnBothDatabases } from './postgres.ts'
import { createSampleRequest } from './sample-request.ts'
import { type BuiltVersion, buildVersion, createSmallCatalogue } from './small-catalogue.ts'
import { expectCreated, expectOk, testContext } from './test-context.ts'

const DAY_MS = 24 * 60 * 60_000
const documented = [
  ...readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8').matchAll(
    /^\| `([\w.]+)` \|/gm,
  ),
].map(([, type]) => type)
const examples = EVENT_TYPES.map((type) => ({
  type,
  event: serializeEvent(createExampleEvent(type, 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t', 0)),
}))

/** In every field of the responses of a bundle. */
const PLANTED = 'planted-canary-7f3a'

describeOnBothDatabases('The types of events', (newUrl) => {
  let t: Awaited<ReturnType<typeof open>>
  let document: AnyBody
  let built: BuiltVersion[]
  let now = Date.now()
  const validators = new Map<string, ValidateFunction>()
  const open = async () =>
    testContext({
      pages: true,
      provider: { revocation: true },
      now: () => now,
      url: await newUrl(),
      catalogue: {
        ...(await createSmallCatalogue(built.slice(0, 1))),
        entries: [],
        runtimes: await loadRuntimes(),
      },
    })
  let background: EndConnectSessionsDeps &
    RecordAvailableUpdatesDeps &
    RecordExpiredLinksDeps &
    RecordExpiringTokensDeps
  const sync = async (count: number) =>
    syncCatalogue(
      {
        database: t.database,
        bundles: createBundleStore(t.database),
        catalogue: createCatalogueStore(t.database),
        log: createLog('silent'),
        now: () => now,
      },
      listBundledIntegrations(await createSmallCatalogue(built.slice(0, count))),
    )
  before(async () => {
    built = await Promise.all(['1.0.0', '1.1.0'].map((version) => buildVersion('desk', version)))
    t = await open()
    const { database } = t
    background = {
      ...{ database, links: createLinkStore(database), tokens: createTokenStore(database) },
      visitedSessions: createVisitedSessionStore(database),
      baseUrl: () => 'http://localhost:3000',
      now: () => now,
    }
    document = expectOk(await t.call('GET', '!/api/openapi.json', { token: null }))
    const ajv = new Ajv({ strict: false })
    addFormats.default(ajv)
    for (const [type, { post }] of Object.entries<AnyBody>(document.webhooks)) {
      const { schema } = post.requestBody.content['application/json']
      // The published schema allows further members, since they may be added.
      const data = { ...schema.properties.data, additionalProperties: false }
      const { components } = document
      validators.set(
        type,
        ajv.compile({ ...schema, properties: { ...schema.properties, data }, components }),
      )
    }
  })
  after(() => t.close())

  const assertValid = (type: string, event: unknown) => {
    const validate = validators.get(type) ?? assert.fail(type)
    assert.ok(validate(event), `${type}: ${JSON.stringify(validate.errors)}`)
  }
  const listEvents = async (): Promise<AnyBody[]> => {
    const events: AnyBody[] = []
    for (;;) {
      const query = `?limit=1000&wait=1&after=${events.at(-1)?.sequence ?? 0}`
      const page = expectOk(await t.call('GET', `/v1/event${query}`))
      if (page.length === 0) return events
      events.push(...page)
    }
  }
  const post = (path: string, body: object = {}) => t.call('POST', path, { body })
  const createLink = async (body: object) =>
    expectCreated(await post('/v1/link', { linkName: 'a', ...body })).linkId
  const signIn = async (access: string, body: Record<string, unknown> = {}) => {
    t.respondToToken = respondWithJson(200, {
      access_token: access,
      refresh_token: `rt_${access}`,
      expires_in: 3_600,
    })
    return getReturnParams(await t.completeFlow(body)).integrationAccountId
  }
  const refresh = async (id: AccountId) => {
    now += 60_000
    // The clock of PostgreSQL, which refreshes go by, stands still.
    await t.database.transaction((trx) =>
      trx
        .updateTable('account_tokens')
        .set({ token_expires_at: 1, refresh_at: 1 })
        .where('account_id', '=', id)
        .execute(),
    )
    const token = await t.createToken({ scopes: ['credentials:read'] })
    const headers = { authorization: `Bearer ${token}` }
    await t.app.inject({ url: `/api/v1/integration_account/${id}/credentials`, headers })
  }

  async function changeAccounts(): Promise<void> {
    const id = await signIn('alice.1', { accountIdentifier: 'customer-1' })
    await signIn('alice.2', { integrationAccountId: id })
    const path = `/v1/integration_account/${id}`
    expectOk(await post(path, { integrationAccountName: 'b' }))
    expectOk(await t.call('DELETE', path))
    const linkId = await createLink({ maxAccounts: 1 })
    await signIn('bob.1', { linkId })
    expectOk(await t.call('DELETE', `/v1/link/${linkId}`))
  }

  async function lackPermissions(): Promise<void> {
    const path = `/v1/integration_oauth/${t.appId}`
    expectOk(await post(path, { scopes: ['issues:read', 'issues:write'] }))
    t.respondToToken = respondWithJson(200, { access_token: 'paula.1', scope: 'issues:read' })
    const accountId = getReturnParams(await t.completeFlow()).integrationAccountId
    const need = { scope: 'issues:write', count: 1, since: now, operation: 'POST /issues' }
    await createNeedWriter({ database: t.database, now: () => now })([{ accountId, ...need }])
    expectOk(await post(path, { scopes: [] }))
  }

  async function changeFacts(): Promise<void> {
    const choices = { cloud_id: [{ value: 's1' }, { value: 's2', label: 'Beta' }] }
    t.stubServer.serve('/checked', (_request, response) => response.end('{}'))
    t.stubServer.serve('/facts', (_request, response) => response.end(JSON.stringify({ choices })))
    const code = createFactsBundle(t.stubServer.url)
    const { integrationDefinitionId } = await t.createDefinition({ code })
    const config = { api_key: 'key', cloud_id: 's1' }
    const account = await t.createAccount(integrationDefinitionId, { config })
    const path = `/v1/integration_account/${account.integrationAccountId}`
    expectOk(await post(path, { config: { cloud_id: 's2' } }))
  }

  async function changeDefinitions(): Promise<void> {
    const { integrationDefinitionId: id, sourceUrl } = await t.createDefinition()
    const path = `/v1/integration_definition/${id}`
    const spec = { ...MINI_SPEC, version: '2.0.0' }
    t.stubServer.serve('/second.js', (_request, response) => response.end(createMiniBundle(spec)))
    expectOk(await post(path, { sourceUrl: `${t.stubServer.url}/second.js` }))
    assert.notEqual(sourceUrl, `${t.stubServer.url}/second.js`)
    expectOk(await post(`${path}/rollback`))
    expectOk(await t.call('DELETE', path))
    await sync(1)
    const definitions: AnyBody[] = expectOk(await t.call('GET', '/v1/integration_definition'))
    const desk = definitions.find(({ key }) => key === 'desk') ?? assert.fail('no desk')
    const config = { api_key: 'key', base_url: t.stubServer.url }
    await t.createAccount(desk.integrationDefinitionId, { config })
    await sync(2)
    await Promise.all([1, 2].map(() => recordAvailableUpdates(background)))
    const override = await createSampleRequest(t, 'overrideDefinition')
    expectOk(await post(override.path, override.body))
  }

  async function failToConnect(): Promise<void> {
    const desk = await defineDesk(t, { name: 'Page desk' })
    const path = await t.link({ integrationDefinitionId: desk.definitionId })
    const visitor = t.visitor()
    const fields = { error: PLANTED, hint: PLANTED, code: PLANTED, field: PLANTED, more: PLANTED }
    desk.setCheckResponse({ status: false, ...fields })
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const form = await visitor.get(path)
      assert.equal((await visitor.submit(form, createValidFormValues(t))).status, 422)
    }
    desk.setCheckResponse({ status: true, ...fields, identity: PLANTED })
    assert.equal(
      (await visitor.submit(await visitor.get(path), createValidFormValues(t))).status,
      303,
    )
    const state = await t.begin(await t.start({}))
    await t.callback({ state, error: 'access_denied', error_description: PLANTED, iss: ISSUER })
  }

  async function breakClient(): Promise<void> {
    const ids = [await signIn('carol.1'), await signIn('dora.1'), await signIn('emil.1')]
    const [first = assert.fail(), second = assert.fail(), third = assert.fail()] = ids
    t.respondToToken = respondWithJson(401, { error: 'invalid_client', error_description: PLANTED })
    await refresh(first)
    await refresh(second)
    const app = `/v1/integration_oauth/${t.appId}`
    expectOk(
      await post(app, { scopes: Array.from({ length: 200 }, (_, at) => 'x'.repeat(200) + at) }),
    )
    t.respondToToken = respondWithJson(200, { access_token: 'carol.2', expires_in: 3_600 })
    await refresh(first)
    t.respondToToken = respondWithJson(400, { error: 'unsupported_grant_type' })
    await refresh(third)
    expectOk(await post(app, { integrationOAuthAppName: 'changed' }))
    t.respondToToken = respondWithJson(200, { access_token: 'emil.2', expires_in: 3_600 })
    await refresh(third)
    t.respondToToken = respondWithJson(400, { error: 'invalid_grant' })
    await refresh(third)
  }

  async function useConnectSessions(): Promise<void> {
    const desk = await defineDesk(t, { name: 'Session desk' })
    const path = await t.link({ integrationDefinitionId: desk.definitionId })
    const create = async (body: object = {}) =>
      expectCreated(await post('/v1/connect_session', { linkId: path.split('/').at(-1), ...body }))
    const { connectSessionId: revoked } = await create()
    expectOk(await t.call('DELETE', `/v1/connect_session/${revoked}`))
    await create({ expiresIn: 60 })
    const visitor = t.visitor()
    const form = await visitor.get((await create()).url)
    assert.equal((await visitor.submit(form, createValidFormValues(t))).status, 303)
  }

  async function useAgents(): Promise<void> {
    const code = createMiniBundle({ ...MINI_SPEC, api_base_url: t.stubServer.url })
    const { integrationDefinitionId } = await t.createDefinition({ code })
    const { integrationAccountId: id } = await t.createAccount(integrationDefinitionId)
    const { agentSessionId, token } = expectCreated(
      await post('/v1/agent_session', {
        integrationAccountIds: [id],
        rules: [{ effect: 'approve' }],
      }),
    )
    const asked = await t.call('POST', `/v1/integration_account/${id}/proxy/notes`, {
      token,
      body: {},
    })
    const approvalId = asked.body.errors.approvalId[0].value
    expectOk(await post(`/v1/agent_approval/${approvalId}`, { decision: 'deny' }))
    expectOk(await t.call('DELETE', `/v1/agent_session/${agentSessionId}`))
    expectOk(await post(`/v1/integration_account/${id}/agent_access`, { access: 'paused' }))
  }

  async function changeTool(): Promise<void> {
    const { path, body } = await createSampleRequest(t, 'acceptIntegrationAccountTool')
    expectOk(await post(path, body ?? {}))
  }

  async function passTime(): Promise<void> {
    await createLink({ expiresIn: 60 })
    const revoked = await createLink({ expiresIn: 60 })
    expectOk(await post(`/v1/link/${revoked}`, { linkName: 'b' }))
    expectOk(await t.call('DELETE', `/v1/link/${revoked}`))
    const token = expectCreated(await post('/v1/user/token', { name: 'soon', seconds: 8 * 86_400 }))
    expectCreated(await post('/v1/user/token', { name: 'short', seconds: 6 * 86_400 }))
    const run = () =>
      Promise.all([
        recordExpiredLinks(background),
        endConnectSessions(background),
        recordExpiringTokens(background),
      ])
    await run()
    now += DAY_MS + 60_000
    await Promise.all([run(), run()])
    now += DAY_MS
    await run()
    assert.equal(token.name, 'soon')
  }

  it('are the same in the catalogue, in docs/events.md and in the OpenAPI document', () => {
    const types = [...EVENT_TYPES].sort()
    assert.deepEqual(Object.keys(document.webhooks).sort(), types)
    assert.deepEqual(documented.toSorted(), types)
  })

  it('have valid examples for tests of webhook endpoints', () => {
    for (const { type, event } of examples) assertValid(type, event)
  })

  it('have schemas that reject an unknown member, a missing one and a wrong type', () => {
    for (const { type, event } of examples) {
      const validate = validators.get(type) ?? assert.fail(type)
      const [first = ''] = Object.keys(event.data)
      const { [first]: _, ...rest } = event.data
      for (const data of [{ ...event.data, extra: 1 }, rest])
        assert.equal(validate({ ...event, data }), false, type)
      assert.equal(validate({ ...event, type: 'other' }), false, type)
    }
  })

  /** Five accounts are rejected, and none is accepted. */
  const doubtDefinition = async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    const definitionId = integrationDefinitionId as DefinitionId
    const workspaceId = t.workspaceId as WorkspaceId
    const health = STORED_HEALTH.toNewRow(
      STORED_HEALTH.create({ ...NEVER_REJECTED, rejectedAt: now }),
    )
    const keys = { workspace_id: workspaceId, definition_id: definitionId }
    await t.database.transaction(async (trx) => {
      for (let index = 0; index < 4; index += 1)
        await trx
          .insertInto('account_health')
          .values({ ...health, ...keys, account_id: newId('acc', now) })
          .execute()
      const account = { accountId: newId('acc', now), workspaceId, definitionId }
      assert.equal((await decideRejection(trx, account, now)).isHeld, true)
    })
    expectOk(await t.call('POST', `/v1/integration_definition/${definitionId}/trust`))
  }

  it('are published through HTTP as their schemas say', async () => {
    await changeAccounts()
    await lackPermissions()
    await changeFacts()
    await changeDefinitions()
    await failToConnect()
    await useConnectSessions()
    await useAgents()
    await changeTool()
    await breakClient()
    await doubtDefinition()
    await passTime()
    await t.call('GET', '/v1/event?wait=20&types=audit.checkpoint')
    const events = await listEvents()
    for (const event of events) assertValid(event.type, event)
    const published = new Set(events.map(({ type }) => type))
    const missing = EVENT_TYPES.filter((type) => !published.has(type))
    assert.deepEqual(
      missing.filter((type) => !type.startsWith('webhook')),
      [],
    )
    assert.ok(!JSON.stringify(events).includes(PLANTED), 'text of a bundle or a provider')
    assert.ok(!JSON.stringify(events).includes('canary'), 'a configuration')
    for (const event of events) assert.ok(Buffer.byteLength(JSON.stringify(event)) <= 20_000)
    const large = events.find(({ type }) => type === 'oauth_app.recovered')
    assert.deepEqual(large.data.truncated, ['oauthApp.scopes'])
    for (const type of [
      'link.expired',
      'token.expiring',
      'definition.update_available',
      'oauth_app.failing',
    ])
      assert.equal(events.filter((event) => event.type === type).length, 1, `${type} once`)
    assert.equal(events.filter(({ type }) => type === 'connect.failed').length, 2)
  })
})
