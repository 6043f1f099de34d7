import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../../test/any-body.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
  testContext,
} from '../../../../test/test-context.ts'
import { createMcpBundle, startAuthorizationServer } from '../../oauth-flow/test/mcp-servers.ts'
import type { RevocationTestContext } from '../../oauth-flow/test/revocation-test-context.ts'
import { ISSUER, respondWithJson } from '../../oauth-flow/test/stub-provider-context.ts'
import type { PageTestContext } from '../test/page-test-context.ts'
import { extractForm, type FetchedPage, getVisibleText, pressStart } from '../test/test-visitor.ts'

describeOnBothDatabases('The page on which an administrator enters an OAuth app', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: RevocationTestContext & PageTestContext
  let clock = Date.now()
  let customer = 0
  before(async () => {
    const url = await newUrl()
    const steps = ['Open the <developer> portal.', 'Add the redirect URI.']
    t = await testContext({
      provider: {
        revocation: true,
        auth: { 'x-app-setup': steps, default_scopes: ['books.read'] },
      },
      pages: true,
      now: () => clock,
      url,
    })
  })
  after(() => t.close())

  const create = (body: AnyBody = {}, token = t.token) =>
    t.call('POST', '/v1/connect_session', {
      body: {
        mode: 'app',
        accountIdentifier: `customer-${++customer}`,
        integrationDefinitionIds: [t.definitionId],
        ...body,
      },
      token,
    })
  /** Opens a session in a new browser. */
  const open = async (body: AnyBody = {}) => {
    const session = expectCreated(await create(body))
    const visitor = t.visitor()
    const pressed = await pressStart(visitor, session.url)
    const page = await visitor.get(pressed.location ?? '')
    const path = `/connect/${session.connectSessionId}/app`
    const { visit = '' } = extractForm(page).fields
    const enter = (fields: Record<string, string>, query = '') =>
      visitor.post(path + query, { visit, ...fields })
    return { session, visitor, page, enter, path }
  }
  /** How the provider responds to the made-up code of the test, and to a real one. */
  const respond = (status: number, body: AnyBody) => {
    t.respondToToken = respondWithJson(status, body)
  }
  const acceptClient = () => respond(400, { error: 'invalid_grant' })
  const refuseClient = () => respond(401, { error: 'invalid_client' })
  const listApps = async (accountIdentifier: string): Promise<AnyBody[]> =>
    expectOk(
      await t.call('GET', `/v1/integration_oauth?${new URLSearchParams({ accountIdentifier })}`),
    )
  const CLIENT = { clientId: 'theirs', clientSecret: 'secret-of-theirs-5d3' }

  it('asks for the issuer where the spec names no server, and finds its endpoints', async (test) => {
    const as = await startAuthorizationServer(test)
    const { integrationDefinitionId } = await t.createDefinition({ code: createMcpBundle() })
    const { session, page, enter } = await open({
      integrationDefinitionIds: [integrationDefinitionId],
    })
    assert.match(page.text, /name="issuer"/)
    const missing = await enter(CLIENT)
    assert.equal(missing.status, 422)
    assert.match(getVisibleText(missing), /Issuer/)
    for (const issuer of [`${as.issuer}/other`, 'not a URL']) {
      const unknown = await enter({ ...CLIENT, issuer })
      assert.equal(unknown.status, 422, issuer)
      assert.ok(unknown.text.includes(`value="${issuer}"`))
      assert.match(getVisibleText(unknown), /No server for signing in was found at this address/)
    }
    assert.deepEqual(await listApps(session.accountIdentifier), [])
    assert.equal((await enter({ ...CLIENT, issuer: as.issuer })).status, 303)
    const [app] = await listApps(session.accountIdentifier)
    assert.deepEqual([app?.issuer, app?.clientId], [as.issuer, CLIENT.clientId])
    assert.ok(as.requests.includes('POST /token'), `${as.requests}`)
    // Where the spec has the endpoints, the form names no others.
    const other = await open()
    assert.doesNotMatch(other.page.text, /name="issuer"/)
    acceptClient()
    assert.equal((await other.enter({ ...CLIENT, issuer: as.issuer })).status, 303)
    const [named] = await listApps(other.session.accountIdentifier)
    assert.equal(named?.issuer, null)
  })

  it('shows the redirect URI, the steps of the tool and its scopes, and no other host', async () => {
    const { page } = await open()
    assert.equal(page.state, 'appSetup')
    const text = getVisibleText(page)
    for (const expected of ['Open the <developer> portal.', 'Add the redirect URI.', 'books.read'])
      assert.ok(text.includes(expected), text)
    assert.ok(page.text.includes('/api/v1/oauth/callback'))
    assert.doesNotMatch(page.text, /127\.0\.0\.1/)
  })

  it('stores an app that passes the test, with which its administrator connects at once', async () => {
    const { session, visitor, enter } = await open({ redirectURL: null })
    acceptClient()
    t.tokenRequests.length = 0
    const saved = await enter({
      clientId: ` ${CLIENT.clientId} `,
      clientSecret: CLIENT.clientSecret,
    })
    const { connectSessionId, accountIdentifier } = session
    assert.equal(saved.status, 303, saved.text)
    assert.deepEqual(
      t.tokenRequests.map((one) => one.get('client_id')),
      ['theirs'],
    )
    const [app, ...others] = await listApps(accountIdentifier)
    assert.deepEqual(others, [])
    assert.deepEqual([app?.clientId, app?.isDefault, app?.accounts], ['theirs', false, 0])
    assert.deepEqual(await listAuditActions(t, app?.integrationOAuthAppId), ['oauth_app.created'])
    const get = async () => expectOk(await t.call('GET', `/v1/connect_session/${connectSessionId}`))
    assert.equal((await get()).integrationOAuthAppId, app?.integrationOAuthAppId)
    const done = await visitor.get(saved.location ?? '')
    assert.equal(done.state, 'appSaved')
    assert.doesNotMatch(saved.text + done.text, /secret-of-theirs/)
    const href = /href="([^"]*view=connect[^"]*)"/.exec(done.plain)?.[1] ?? ''
    const sent = await visitor.submit(await visitor.get(href))
    const url = new URL(sent.location ?? '')
    assert.equal(url.searchParams.get('client_id'), 'theirs')
    respond(200, { access_token: `u${customer}.1`, refresh_token: 'rt', expires_in: 3_600 })
    const state = url.searchParams.get('state') ?? ''
    const callback = `/api/v1/oauth/callback?${new URLSearchParams({ state, code: 'c', iss: ISSUER })}`
    const connected = await visitor.get((await visitor.get(callback)).location ?? '')
    assert.equal(connected.state, 'connected', connected.text)
    assert.equal((await get()).status, 'completed')
    assert.equal((await listApps(accountIdentifier))[0]?.accounts, 1)
  })

  it('stores nothing if the provider refuses the client, unless it is saved anyway', async () => {
    const { session, visitor, enter } = await open()
    refuseClient()
    const failed = await enter(CLIENT)
    assert.deepEqual([failed.status, failed.state], [422, 'appSetup'])
    assert.match(getVisibleText(failed), /doesn't know this client ID/)
    assert.match(failed.text, /value="theirs"/)
    assert.doesNotMatch(failed.text, /secret-of-theirs/)
    assert.deepEqual(await listApps(session.accountIdentifier), [])
    t.tokenRequests.length = 0
    const saved = await enter({ ...CLIENT, save: 'anyway' })
    assert.equal(saved.status, 303)
    assert.deepEqual(t.tokenRequests, [])
    assert.equal((await visitor.get(saved.location ?? '')).state, 'appSaved')
    assert.equal((await listApps(session.accountIdentifier)).length, 1)
    // A second click shows the same, and stores nothing.
    assert.equal((await enter({ ...CLIENT, clientId: 'other' })).status, 303)
    assert.deepEqual(
      (await listApps(session.accountIdentifier)).map((app) => app.clientId),
      ['theirs'],
    )
  })

  it('names the field that is wrong', async () => {
    const { enter, session } = await open()
    for (const [fields, message] of [
      [{ clientId: '' }, /Enter Client ID/],
      [{ clientId: 'a\u00e9' }, /Check Client ID/],
      [{ clientId: 'x'.repeat(1_025) }, /1,024 characters or fewer/],
      [{ clientId: 'a', clientSecret: 'x'.repeat(8_193) }, /8,192 characters or fewer/],
    ] as const) {
      const page = await enter(fields)
      assert.equal(page.status, 422)
      assert.match(getVisibleText(page), message)
    }
    assert.deepEqual(await listApps(session.accountIdentifier), [])
  })

  it('tests ten apps in an hour', async () => {
    const { enter } = await open()
    refuseClient()
    const states: (string | undefined)[] = []
    for (let test = 0; test < 12; test += 1) states.push((await enter(CLIENT)).state)
    assert.deepEqual(states, [...Array(10).fill('appSetup'), 'tooManyFailed', 'tooManyFailed'])
    clock += 60 * 60_000 + 1
    assert.equal((await enter(CLIENT)).state, 'appSetup')
  })

  it('binds no other customer, definition or host in 40 tries', async () => {
    const victim = 'victim'
    const other = await t.createDefinition({ name: 'Other' })
    const names: Record<string, string> = {
      accountIdentifier: victim,
      account_identifier: victim,
      integrationDefinitionId: other.integrationDefinitionId,
      integrationDefinitionIds: other.integrationDefinitionId,
      definitionId: other.integrationDefinitionId,
      allowedHosts: 'evil.test',
      host: 'evil.test',
      secretOrigins: 'https://evil.test',
      workspaceId: t.workspaceId,
      integrationOAuthAppId: t.appId,
      isDefault: 'true',
      'config.base_url': 'https://evil.test',
      connectSessionId: 'cns_x',
      successorId: t.appId,
    }
    let tries = 0
    acceptClient()
    t.tokenRequests.length = 0
    const expectRefused = async (page: FetchedPage) => {
      tries += 1
      assert.equal(page.state, 'sessionRefused', page.text)
    }
    for (const [name, value] of Object.entries(names)) {
      const { enter, session } = await open()
      await expectRefused(await enter({ ...CLIENT, [name]: value }))
      await expectRefused(await enter({ ...CLIENT, save: 'anyway', [name]: value }))
      await expectRefused(await enter(CLIENT, `?${new URLSearchParams({ [name]: value })}`))
      assert.deepEqual(await listApps(session.accountIdentifier), [])
    }
    assert.ok(tries >= 40, String(tries))
    assert.deepEqual(t.tokenRequests, [])
    assert.deepEqual(await listApps(victim), [])
  })

  it('works in one browser only, and only with its own form', async () => {
    const { session, path, enter, page } = await open()
    acceptClient()
    const { visit = '' } = extractForm(page).fields
    const otherVisitor = t.visitor()
    assert.equal(
      (await otherVisitor.get(`/connect/${session.connectSessionId}`)).state,
      'sessionRefused',
    )
    assert.equal((await otherVisitor.post(path, { visit, ...CLIENT })).state, 'sessionRefused')
    assert.equal((await otherVisitor.get(session.url)).state, 'sessionRefused')
    assert.equal((await enter({ ...CLIENT, visit: 'x' })).state, 'sessionRefused')
    expectOk(await t.call('DELETE', `/v1/connect_session/${session.connectSessionId}`))
    assert.equal((await enter(CLIENT)).state, 'sessionRefused')
    assert.deepEqual(await listApps(session.accountIdentifier), [])
  })

  it('has ended once the customer has an app: of two pages, one stores its app', async () => {
    const accountIdentifier = 'two-pages'
    const pages = [await open({ accountIdentifier }), await open({ accountIdentifier })]
    acceptClient()
    const [one, other] = await Promise.all(pages.map(({ enter }) => enter(CLIENT)))
    assert.deepEqual([one?.status, other?.status].sort(), [303, 410])
    assert.equal((await listApps(accountIdentifier)).length, 1)
    expectError(await create({ accountIdentifier }), 'already_exists')
  })

  it('sends the secret to the endpoints of the definition only', async () => {
    const { session, enter } = await open()
    acceptClient()
    await enter(CLIENT)
    const [app] = await listApps(session.accountIdentifier)
    const { secret_origins } = await t.database.read
      .selectFrom('oauth_apps')
      .select('secret_origins')
      .where('oauth_app_id', '=', app?.integrationOAuthAppId)
      .executeTakeFirstOrThrow()
    assert.deepEqual(JSON.parse(secret_origins ?? ''), [new URL(t.stubServer.url).origin])
  })

  it('is made for one customer and one tool with OAuth, by tokens that may write apps', async () => {
    const { integrationDefinitionId } = await t.createDefinition({
      name: 'Keys only',
      code: KEYS_ONLY,
    })
    for (const [body, code] of [
      [{ accountIdentifier: null }, 'validation_failed'],
      [{ integrationDefinitionIds: null }, 'validation_failed'],
      [
        { integrationDefinitionIds: [t.definitionId, integrationDefinitionId] },
        'validation_failed',
      ],
      [{ integrationDefinitionIds: [integrationDefinitionId] }, 'auth_type_not_allowed'],
      [{ integrationDefinitionIds: ['def_x'] }, 'unknown_reference'],
      [{ integrationOAuthAppId: t.appId }, 'validation_failed'],
      [{ category: [{ key: 'CRM' }] }, 'validation_failed'],
      [{ allowedHosts: ['not a host'] }, 'validation_failed'],
    ] as const)
      expectError(await create(body), code)
    const token = await t.createToken({ scopes: ['links:write'] })
    expectError(await create({}, token), 'insufficient_scope')
    const scoped = await t.createToken({ scopes: ['links:write', 'apps:write'] })
    assert.equal(expectCreated(await create({}, scoped)).mode, 'app')
  })
}

const KEYS_ONLY = `exports.default = async (command) =>
  command === 'SPEC'
    ? { auth_specification: { Api_Key: { input_specification: { type: 'object', properties: {} } } } }
    : { status: true }`
