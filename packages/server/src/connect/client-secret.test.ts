// biome-ignore-all lint/suspicious/noTemplateCurlyInString: URL templates of specs are written like this.
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, it } from 'node:test'
import { auditOf, created, fine, refused } from '../../test/fixtures.ts'
import { type Origin, startOrigin } from '../../test/origin.ts'
import { describePostgres } from '../../test/postgres.ts'
import { CLIENT } from './test/oauth-world.ts'
import { ISSUER, returned, type StubWorld, startStubWorld } from './test/stub-world.ts'

const SECRET = CLIENT.clientSecret
const BASE = { base_url: { type: 'string', format: 'uri', 'x-secret': false } }
const DEFINITION = '/v1/integration_definition'
const APP = '/v1/integration_oauth'

describe('the client secret of an OAuth app', () => promises(async () => undefined))
describePostgres('the client secret of an OAuth app, on PostgreSQL', (server) =>
  promises(() => server().createDatabase('client_secret')),
)

function promises(url: () => Promise<string | undefined>): void {
  let t: StubWorld
  let elsewhere: Origin
  /** Bodies and headers that the other host received. */
  const received: string[] = []
  let write: string
  let source: string
  let code = ''
  let count = 0
  before(async () => {
    const database = await url()
    t = await startStubWorld(database === undefined ? {} : { url: database })
    elsewhere = await startOrigin()
    for (const path of ['/token', '/par', '/revoke'])
      elsewhere.serve(path, async (request, response) => {
        received.push(`${request.headers.authorization} ${await text(request)}`)
        const answer = { access_token: 'at', refresh_token: 'rt', request_uri: 'urn:x' }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
      })
    source = t.origin.serve('/moving.js', (_request, response) => response.end(code))
    write = await t.mint({ scopes: ['read', 'write'] })
  })
  after(async () => {
    await t.close()
    await elsewhere.close()
  })
  beforeEach(() => {
    received.length = 0
    t.tokenRequests.length = 0
  })

  const auth = (more: object = {}) => ({
    authorization_url: `${t.origin.url}/authorize`,
    token_url: `${t.origin.url}/token`,
    'x-issuer': ISSUER,
    ...more,
  })
  const bundle = (OAuth2: object, more: object = {}) => {
    const spec = { version: `1.0.${++count}`, auth_specification: { OAuth2 }, ...more }
    return `exports.default = async (command, { config } = {}) => command === 'SPEC'
      ? ${JSON.stringify(spec)}
      : command === 'CHECK' ? { status: true } : command === 'IDENTITY' ? { id: 'alice' } : {}`
  }
  const define = async (OAuth2: object, { app = {}, ...more }: Record<string, unknown> = {}) => {
    code = bundle(OAuth2, more)
    const { integrationDefinitionId: id } = await t.define({ sourceUrl: source })
    const body = { integrationDefinitionId: id, ...CLIENT, ...(app as object) }
    const made = created(await t.call('POST', APP, { body }))
    return { id: String(id), appId: String(made.integrationOAuthAppId), made }
  }
  const upgrade = (id: string, token = t.token) =>
    t.call('POST', `${DEFINITION}/${id}`, { body: {}, token })
  const updateApp = (appId: string, body: object, token = write) =>
    t.call('POST', `${APP}/${appId}`, { body, token })
  const test = (appId: string) => t.call('POST', `${APP}/${appId}/test`, { body: {}, token: write })
  const start = (id: string, body: object = {}) =>
    t.call('POST', '/v1/oauth', {
      body: {
        integrationDefinitionId: id,
        integrationAccountName: 'An account',
        redirectURL: 'https://app.example.com/connected?tab=1',
        confirm: false,
        ...body,
      },
      token: write,
    })
  const connect = async (id: string, config: object = {}) => {
    const state = await t.begin(fine(await start(id, { config })).redirectURL)
    return returned(await t.back({ state, code: 'a-code', iss: ISSUER }))
  }
  const withheld = async (appId: string) => {
    const rows = await t.database.read
      .selectFrom('audit_events')
      .select('detail')
      .where('subject', '=', appId)
      .where('action', '=', 'oauth_app.secret_withheld')
      .orderBy('event_id')
      .execute()
    return rows.map(({ detail }) => JSON.parse(detail))
  }
  const isRefused = (answer: Awaited<ReturnType<typeof test>>) => {
    const { errors, message } = refused(answer, 'oauth_app_secret_required')
    assert.deepEqual(Object.keys(errors), ['clientSecret'])
    assert.equal(answer.text.includes(elsewhere.host), false, 'the answer names no origin')
    assert.match(message, /clientSecret/)
  }

  it('409: of an upgraded definition, stays where it was entered for until it is entered again', async () => {
    const { id, appId } = await define(auth())
    code = bundle(auth({ token_url: `${elsewhere.url}/token` }))
    fine(await upgrade(id))
    isRefused(await test(appId))
    isRefused(await start(id))
    assert.deepEqual(received, [])
    const registered = [t.origin.url]
    const row = { origin: elsewhere.url, registered, allowedHosts: [] }
    assert.deepEqual(await withheld(appId), [row, row])
    fine(await updateApp(appId, { clientId: 'other', integrationOAuthAppName: 'Other' }))
    isRefused(await test(appId))
    fine(await updateApp(appId, { clientSecret: SECRET }))
    fine(await test(appId))
    assert.equal(received.length, 1)
    assert.ok(received.join().includes(SECRET))
    code = bundle(auth())
    fine(await upgrade(id))
    isRefused(await test(appId))
    assert.deepEqual(t.tokenRequests, [])
  })

  it('403: a token without credentials:read changes no definition that has an app or an attempt in progress', async () => {
    const { id, appId } = await define(auth())
    code = bundle(auth({ token_url: `${elsewhere.url}/token` }))
    refused(await upgrade(id, write), 'insufficient_scope')
    const preview = await t.call('POST', `${DEFINITION}/${id}/preview`, { body: {}, token: write })
    refused(preview, 'insufficient_scope')
    refused(await t.call('DELETE', `${DEFINITION}/${id}`), 'definition_in_use')
    fine(await start(id))
    fine(await t.call('DELETE', `${APP}/${appId}`))
    refused(await upgrade(id, write), 'insufficient_scope')
    refused(await t.call('DELETE', `${DEFINITION}/${id}`), 'definition_in_use')
    await t.database.transaction((trx) =>
      trx.updateTable('oauth_attempts').set({ finished_at: 1 }).execute(),
    )
    fine(await upgrade(id, write))
    fine(await t.call('DELETE', `${DEFINITION}/${id}`))
  })

  it('409: of pushed requests, refreshes and revocations, stays where it was entered for', async () => {
    const { id, appId } = await define(auth({ revocation_url: `${t.origin.url}/revoke` }))
    const { integrationAccountId: accountId } = await connect(id)
    const end = () =>
      t.database.transaction((trx) =>
        trx
          .updateTable('accounts')
          .set({ token_expires_at: 1, renew_at: 1, renew_failures: 0 })
          .where('account_id', '=', String(accountId))
          .execute(),
      )
    const account = `/v1/integration_account/${accountId}`
    const other = (more: object) => {
      code = bundle(auth({ revocation_url: `${elsewhere.url}/revoke`, ...more }))
      return upgrade(id)
    }
    fine(await other({ pushed_authorization_request_url: `${elsewhere.url}/par` }))
    isRefused(await start(id))
    const requests = t.tokenRequests.length
    fine(await other({ token_url: `${elsewhere.url}/token` }))
    for (let times = 0; times < 3; times += 1) {
      await end()
      isRefused(await t.call('GET', `${account}/credentials`))
    }
    const { status, statusReason } = fine(await t.call('GET', account))
    assert.deepEqual([status, statusReason], ['error', 'oauth_app_secret_required'])
    assert.deepEqual(received, [])
    assert.equal(t.tokenRequests.length, requests)
    assert.equal(
      (await withheld(appId)).length,
      2,
      'a refresh that is tried again is recorded once',
    )
    fine(await updateApp(appId, { clientSecret: SECRET }))
    const { config } = fine(await t.call('GET', `${account}/credentials`))
    assert.equal(config.access_token, 'at')
    assert.equal(fine(await t.call('GET', account)).status, 'active')
    assert.equal(received.length, 1)
    received.length = 0
    code = bundle(
      auth({ revocation_url: `${t.origin.url}/revoke`, token_url: `${elsewhere.url}/token` }),
    )
    fine(await upgrade(id))
    t.origin.requests.length = 0
    assert.equal(fine(await t.call('DELETE', account)).revocation, 'failed')
    assert.equal(t.origin.requests.includes('POST /revoke'), false)
  })

  it('409: of a host that the configuration chooses, goes to allowedHosts only', async () => {
    const input_specification = { type: 'object', properties: BASE }
    const templated = auth({ token_url: '${base_url}/token', input_specification })
    const { id, appId, made } = await define(templated)
    assert.deepEqual(made.allowedHosts, [])
    isRefused(await start(id, { config: { base_url: elsewhere.url } }))
    isRefused(await start(id, { config: { base_url: t.origin.url } }))
    assert.deepEqual((await auditOf(t, appId)).slice(-1), ['oauth_app.secret_withheld'])
    isRefused(await updateApp(appId, { allowedHosts: ['127.0.0.1'] }))
    const both = { allowedHosts: ['127.0.0.1', '*.acme.example'], clientSecret: SECRET }
    assert.deepEqual(fine(await updateApp(appId, both)).allowedHosts, both.allowedHosts)
    assert.equal((await connect(id, { base_url: t.origin.url })).success, 'true')
    assert.equal(t.tokenRequests[0]?.get('client_secret'), SECRET)
    fine(await updateApp(appId, { allowedHosts: ['*.acme.example'] }))
    isRefused(await start(id, { config: { base_url: t.origin.url } }))
    isRefused(await updateApp(appId, { allowedHosts: ['127.0.0.1'] }))
    assert.deepEqual(received, [])
  })

  it('a host that the app stops allowing while a person is away gets no code and no secret', async () => {
    const input_specification = { type: 'object', properties: BASE }
    const templated = auth({ token_url: '${base_url}/token', input_specification })
    const { id, appId } = await define(templated, { app: { allowedHosts: ['127.0.0.1'] } })
    const config = { base_url: elsewhere.url }
    const state = await t.begin(fine(await start(id, { config })).redirectURL)
    fine(await updateApp(appId, { allowedHosts: [] }))
    const { error } = returned(await t.back({ state, code: 'a-code', iss: ISSUER }))
    assert.equal(error, 'oauth_app_secret_required')
    assert.deepEqual(received, [])
  })

  it('a client without a secret connects at a host that the configuration chooses, within x-hosts', async () => {
    const input_specification = { type: 'object', properties: BASE }
    const templated = auth({ token_url: '${base_url}/token', input_specification })
    const app = { clientSecret: null }
    const { id } = await define(templated, { app })
    assert.equal((await connect(id, { base_url: t.origin.url })).success, 'true')
    const limited = await define(templated, { app, 'x-hosts': ['api.acme.example'] })
    const answer = await start(limited.id, { config: { base_url: elsewhere.url } })
    const { errors } = refused(answer, 'validation_failed')
    assert.deepEqual(Object.keys(errors), ['config.base_url'])
    const fixed = await define(auth({ token_url: `${elsewhere.url}/token` }), {
      app,
      'x-hosts': ['api.acme.example'],
    })
    refused(await start(fixed.id), 'integration_bad_output')
    fine(await test(fixed.appId))
    assert.deepEqual(received, [], 'x-hosts holds for token requests')
  })
}
