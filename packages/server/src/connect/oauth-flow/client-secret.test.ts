// biome-ignore-all lint/suspicious/noTemplateCurlyInString: URL templates of specs are written like this.

import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, it } from 'node:test'
import { changeAccountRow } from '../../../test/account-rows.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { type StubServer, startStubServer } from '../../../test/stub-server.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
  testContext,
} from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { CLIENT } from './test/oauth-test-context.ts'
import { getReturnParams, ISSUER, type StubProviderContext } from './test/stub-provider-context.ts'

const SECRET = CLIENT.clientSecret
const BASE = { base_url: { type: 'string', format: 'uri', 'x-secret': false } }
const DEFINITION = '/v1/integration_definition'
const APP = '/v1/integration_oauth'

describeOnBothDatabases('the client secret of an OAuth app', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: StubProviderContext
  let otherOrigin: StubServer
  /** The bodies and headers that the other host received. */
  const received: string[] = []
  let writeToken: string
  let sourceUrl: string
  let code = ''
  let count = 0
  before(async () => {
    t = await testContext({ provider: true, url: await newUrl() })
    otherOrigin = await startStubServer()
    for (const path of ['/token', '/par', '/revoke'])
      otherOrigin.serve(path, async (request, response) => {
        received.push(`${request.headers.authorization} ${await text(request)}`)
        const tokens = { access_token: 'at', refresh_token: 'rt', request_uri: 'urn:x' }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tokens))
      })
    sourceUrl = t.stubServer.serve('/moving.js', (_request, response) => response.end(code))
    writeToken = await t.createToken({ scopes: ['read', 'write'] })
  })
  after(async () => {
    await t.close()
    await otherOrigin.close()
  })
  beforeEach(() => {
    received.length = 0
    t.tokenRequests.length = 0
  })

  const createAuth = (overrides: object = {}) => ({
    authorization_url: `${t.stubServer.url}/authorize`,
    token_url: `${t.stubServer.url}/token`,
    'x-issuer': ISSUER,
    ...overrides,
  })
  const createBundle = (OAuth2: object, overrides: object = {}) => {
    const spec = { version: `1.0.${++count}`, auth_specification: { OAuth2 }, ...overrides }
    return `exports.default = async (command, { config } = {}) => command === 'SPEC'
      ? ${JSON.stringify(spec)}
      : command === 'CHECK' ? { status: true } : command === 'IDENTITY' ? { id: 'alice' } : {}`
  }
  const define = async (
    OAuth2: object,
    { app = {}, ...overrides }: Record<string, unknown> = {},
  ) => {
    code = createBundle(OAuth2, overrides)
    const { integrationDefinitionId: id } = await t.createDefinition({ sourceUrl })
    const body = { integrationDefinitionId: id, ...CLIENT, ...(app as object) }
    const createdApp = expectCreated(await t.call('POST', APP, { body }))
    return { id: String(id), appId: String(createdApp.integrationOAuthAppId), made: createdApp }
  }
  const upgrade = (id: string, token = t.token) =>
    t.call('POST', `${DEFINITION}/${id}`, { body: {}, token })
  const updateApp = (appId: string, body: object, token = writeToken) =>
    t.call('POST', `${APP}/${appId}`, { body, token })
  const test = (appId: string) =>
    t.call('POST', `${APP}/${appId}/test`, { body: {}, token: writeToken })
  const start = (id: string, body: object = {}) =>
    t.call('POST', '/v1/oauth', {
      body: {
        integrationDefinitionId: id,
        integrationAccountName: 'An account',
        redirectURL: 'https://app.example.com/connected?tab=1',
        confirm: false,
        ...body,
      },
      token: writeToken,
    })
  const connect = async (id: string, config: object = {}) => {
    const state = await t.begin(expectOk(await start(id, { config })).redirectURL)
    return getReturnParams(await t.callback({ state, code: 'a-code', iss: ISSUER }))
  }
  const listWithheldSecrets = async (appId: string) => {
    const rows = await selectAuditEntries(t.database.read)
      .select('detail')
      .where('subject', '=', appId)
      .where('action', '=', 'oauth_app.secret_withheld')
      .orderBy('event_id')
      .execute()
    return rows.map(({ detail }) => JSON.parse(detail))
  }
  const expectSecretRequired = (response: Awaited<ReturnType<typeof test>>) => {
    const { errors, message } = expectError(response, 'oauth_app_secret_required')
    assert.deepEqual(Object.keys(errors), ['clientSecret'])
    assert.equal(response.text.includes(otherOrigin.host), false, 'the response contains no origin')
    assert.match(message, /clientSecret/)
  }

  it('409: is not sent to new endpoints of an upgraded definition until it is entered again', async () => {
    const { id, appId } = await define(createAuth())
    code = createBundle(createAuth({ token_url: `${otherOrigin.url}/token` }))
    expectOk(await upgrade(id))
    expectSecretRequired(await test(appId))
    expectSecretRequired(await start(id))
    assert.deepEqual(received, [])
    const registered = [t.stubServer.url]
    const row = { origin: otherOrigin.url, registered, allowedHosts: [] }
    assert.deepEqual(await listWithheldSecrets(appId), [row, row])
    expectOk(await updateApp(appId, { clientId: 'other', integrationOAuthAppName: 'Other' }))
    expectSecretRequired(await test(appId))
    expectOk(await updateApp(appId, { clientSecret: SECRET }))
    expectOk(await test(appId))
    assert.equal(received.length, 1)
    assert.ok(received.join().includes(SECRET))
    code = createBundle(createAuth())
    expectOk(await upgrade(id))
    expectSecretRequired(await test(appId))
    assert.deepEqual(t.tokenRequests, [])
  })

  it('403: a token without credentials:read cannot change a definition that has an OAuth app or a session in progress', async () => {
    const { id, appId } = await define(createAuth())
    code = createBundle(createAuth({ token_url: `${otherOrigin.url}/token` }))
    expectError(await upgrade(id, writeToken), 'insufficient_scope')
    const preview = await t.call('POST', `${DEFINITION}/${id}/preview`, {
      body: {},
      token: writeToken,
    })
    expectError(preview, 'insufficient_scope')
    expectError(await t.call('DELETE', `${DEFINITION}/${id}`), 'definition_in_use')
    expectOk(await start(id))
    expectOk(await t.call('DELETE', `${APP}/${appId}`))
    expectError(await upgrade(id, writeToken), 'insufficient_scope')
    expectError(await t.call('DELETE', `${DEFINITION}/${id}`), 'definition_in_use')
    await t.database.transaction((trx) =>
      trx.updateTable('oauth_sessions').set({ finished_at: 1 }).execute(),
    )
    expectOk(await upgrade(id, writeToken))
    expectOk(await t.call('DELETE', `${DEFINITION}/${id}`))
  })

  it('409: is not sent to new endpoints for pushed requests, refreshes and revocations', async () => {
    const { id, appId } = await define(createAuth({ revocation_url: `${t.stubServer.url}/revoke` }))
    const { integrationAccountId: accountId } = await connect(id)
    const expireToken = () =>
      changeAccountRow(t.database, accountId, {
        token_expires_at: 1,
        refresh_at: 1,
        refresh_failures: 0,
      })
    const account = `/v1/integration_account/${accountId}`
    const redefine = (overrides: object) => {
      code = createBundle(createAuth({ revocation_url: `${otherOrigin.url}/revoke`, ...overrides }))
      return upgrade(id)
    }
    expectOk(await redefine({ pushed_authorization_request_url: `${otherOrigin.url}/par` }))
    expectSecretRequired(await start(id))
    const requests = t.tokenRequests.length
    expectOk(await redefine({ token_url: `${otherOrigin.url}/token` }))
    for (let times = 0; times < 3; times += 1) {
      await expireToken()
      expectSecretRequired(await t.call('GET', `${account}/credentials`))
    }
    const { status, statusReason } = expectOk(await t.call('GET', account))
    assert.deepEqual([status, statusReason], ['error', 'oauth_app_secret_required'])
    assert.deepEqual(received, [])
    assert.equal(t.tokenRequests.length, requests)
    assert.equal((await listWithheldSecrets(appId)).length, 2, 'a retried refresh is recorded once')
    expectOk(await updateApp(appId, { clientSecret: SECRET }))
    const { config } = expectOk(await t.call('GET', `${account}/credentials`))
    assert.equal(config.access_token, 'at')
    assert.equal(expectOk(await t.call('GET', account)).status, 'active')
    assert.equal(received.length, 1)
    received.length = 0
    code = createBundle(
      createAuth({
        revocation_url: `${t.stubServer.url}/revoke`,
        token_url: `${otherOrigin.url}/token`,
      }),
    )
    expectOk(await upgrade(id))
    t.stubServer.requests.length = 0
    assert.equal(expectOk(await t.call('DELETE', account)).revocation, 'failed')
    assert.equal(t.stubServer.requests.includes('POST /revoke'), false)
  })

  it('409: is sent to a host from the configuration only if it is in allowedHosts', async () => {
    const input_specification = { type: 'object', properties: BASE }
    const templated = createAuth({ token_url: '${base_url}/token', input_specification })
    const { id, appId, made: createdApp } = await define(templated)
    assert.deepEqual(createdApp.allowedHosts, [])
    expectSecretRequired(await start(id, { config: { base_url: otherOrigin.url } }))
    expectSecretRequired(await start(id, { config: { base_url: t.stubServer.url } }))
    assert.deepEqual((await listAuditActions(t, appId)).slice(-1), ['oauth_app.secret_withheld'])
    expectSecretRequired(await updateApp(appId, { allowedHosts: ['127.0.0.1'] }))
    const both = { allowedHosts: ['127.0.0.1', '*.acme.example'], clientSecret: SECRET }
    assert.deepEqual(expectOk(await updateApp(appId, both)).allowedHosts, both.allowedHosts)
    assert.equal((await connect(id, { base_url: t.stubServer.url })).success, 'true')
    assert.equal(t.tokenRequests[0]?.get('client_secret'), SECRET)
    expectOk(await updateApp(appId, { allowedHosts: ['*.acme.example'] }))
    expectSecretRequired(await start(id, { config: { base_url: t.stubServer.url } }))
    expectSecretRequired(await updateApp(appId, { allowedHosts: ['127.0.0.1'] }))
    assert.deepEqual(received, [])
  })

  it('a host that the app stops allowing before the callback receives no code and no secret', async () => {
    const input_specification = { type: 'object', properties: BASE }
    const templated = createAuth({ token_url: '${base_url}/token', input_specification })
    const { id, appId } = await define(templated, { app: { allowedHosts: ['127.0.0.1'] } })
    const config = { base_url: otherOrigin.url }
    const state = await t.begin(expectOk(await start(id, { config })).redirectURL)
    expectOk(await updateApp(appId, { allowedHosts: [] }))
    const { error } = getReturnParams(await t.callback({ state, code: 'a-code', iss: ISSUER }))
    assert.equal(error, 'oauth_app_secret_required')
    assert.deepEqual(received, [])
  })

  it('a client without a secret connects at a host from the configuration, within x-hosts', async () => {
    const input_specification = { type: 'object', properties: BASE }
    const templated = createAuth({ token_url: '${base_url}/token', input_specification })
    const app = { clientSecret: null }
    const { id } = await define(templated, { app })
    assert.equal((await connect(id, { base_url: t.stubServer.url })).success, 'true')
    const limited = await define(templated, { app, 'x-hosts': ['api.acme.example'] })
    const response = await start(limited.id, { config: { base_url: otherOrigin.url } })
    const { errors } = expectError(response, 'validation_failed')
    assert.deepEqual(Object.keys(errors), ['config.base_url'])
    expectOk(await test(limited.appId))
    const fixed = createAuth({ token_url: `${otherOrigin.url}/token` })
    await assert.rejects(
      define(fixed, { app, 'x-hosts': ['api.acme.example'] }),
      /token_url cannot be filled in: 127\.0\.0\.1 is not listed in x-hosts/,
    )
    assert.deepEqual(received, [], 'x-hosts applies to token requests')
  })

  it('neither it nor a refresh token of its accounts reaches another origin or client, whatever a token with write tries', async () => {
    const input_specification = { type: 'object', properties: BASE }
    const own = createAuth({ revocation_url: '${base_url}/revoke', input_specification })
    const { id, appId } = await define(own)
    const { integrationAccountId: accountId } = await connect(id, { base_url: t.stubServer.url })
    const account = `/v1/integration_account/${accountId}`
    const evil = otherOrigin.url
    const host = new URL(evil).hostname
    const attack = (path: string, body: object) => t.call('POST', path, { body, token: writeToken })
    const customer = { accountIdentifier: 'mallory', allowedHosts: [host] }
    const theirs = { clientId: 'mallory', clientSecret: 'secret-of-mallory', ...customer }
    const createTheirs = (body: object) => attack(APP, { integrationDefinitionId: id, ...body })
    const mallory = expectCreated(await createTheirs(theirs)).integrationOAuthAppId
    const isDefault = false
    const successor = { clientId: 'next', clientSecret: 'secret-of-next', isDefault }
    const nextId = expectCreated(
      await createTheirs({ ...successor, allowedHosts: [host] }),
    ).integrationOAuthAppId
    const toEvil = createAuth({ token_url: `${evil}/token`, revocation_url: `${evil}/revoke` })
    const hosts = [
      host,
      `${host}:${new URL(evil).port}`,
      evil,
      '*',
      '*.0.0.1',
      'localhost',
      host.toUpperCase(),
    ]
    const configs = [{ base_url: evil }, { token_url: `${evil}/token` }, { authType: 'None' }]
    const sessions = [
      { mode: 'app', ...customer, integrationDefinitionIds: [id] },
      { integrationAccountId: accountId, integrationOAuthAppId: mallory },
      { integrationAccountId: accountId, config: { OAuth2: { base_url: evil } } },
    ]
    const tries: (() => Promise<unknown>)[] = [
      ...hosts.map((each) => () => attack(`${APP}/${appId}`, { allowedHosts: [each] })),
      ...hosts.map(
        (each) => () => attack(`${APP}/${appId}`, { allowedHosts: [each], clientSecret: null }),
      ),
      ...configs.map((config) => () => attack(account, { config })),
      ...configs.map((config) => () => start(id, { integrationAccountId: accountId, config })),
      ...sessions.map((body) => () => attack('/v1/connect_session', body)),
      () =>
        attack(`${APP}/${appId}`, { integrationDefinitionId: 'def_other', secretOrigins: [evil] }),
      () => attack(`${APP}/${appId}`, { issuer: evil }),
      () => attack(`${APP}/${appId}`, { successorId: mallory }),
      () => createTheirs({ ...CLIENT, clientSecret: null, allowedHosts: [host], isDefault }),
      () => start(id, { integrationAccountId: accountId, integrationOAuthAppId: mallory }),
      () => attack(`${DEFINITION}/${id}`, {}),
      () => attack(`${DEFINITION}/${id}`, { sourceUrl }),
      () => attack(`${DEFINITION}/${id}/preview`, {}),
      () => attack(`${DEFINITION}/${id}/rollback`, {}),
      () => attack(DEFINITION, { name: 'Mine', code: createBundle(toEvil) }),
      () => attack(`${APP}/${appId}`, { successorId: nextId }),
    ]
    code = createBundle(toEvil)
    const allTokenRequests: URLSearchParams[] = []
    for (const each of tries) {
      await each()
      // All that sends it: a test, a refresh, the authorization of another account.
      await test(appId)
      await changeAccountRow(t.database, accountId, { token_expires_at: 1, refresh_at: 1 })
      await t.call('GET', `${account}/credentials`)
      await start(id, { config: { base_url: evil } })
      allTokenRequests.push(...t.tokenRequests.splice(0))
    }
    assert.ok(tries.length >= 30)
    const refreshes = allTokenRequests.filter((one) => one.get('grant_type') === 'refresh_token')
    assert.ok(refreshes.length >= tries.length)
    for (const one of allTokenRequests)
      if (one.has('refresh_token') || one.get('client_secret') === SECRET)
        assert.equal(one.get('client_id'), CLIENT.clientId)
    // Moving on to the successor, with a host that only this one allows.
    const body = { integrationAccountId: accountId, config: { base_url: evil } }
    const moved = await t.call('POST', '/v1/oauth', {
      body: {
        integrationDefinitionId: id,
        redirectURL: 'https://app.example.com/connected?tab=1',
        ...body,
      },
    })
    const state = await t.begin(expectOk(moved).redirectURL)
    await t.callback({ state, code: 'a-code', iss: ISSUER })
    assert.equal(t.tokenRequests.at(-1)?.get('client_id'), 'next')
    expectOk(await t.call('DELETE', account))
    const leaked = received.filter((each) => each.includes(SECRET) || each.includes('rt_1'))
    assert.deepEqual(leaked, [])
  })
}
