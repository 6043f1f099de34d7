import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  readAllText,
  testContext,
} from '../../../test/test-context.ts'
import { createValidFormValues, defineDesk } from '../connect-page/test/desk.ts'
import type { PageTestContext } from '../connect-page/test/page-test-context.ts'
import type { FetchedPage, TestVisitor } from '../connect-page/test/test-visitor.ts'
import { pressStart } from '../connect-page/test/test-visitor.ts'
import {
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from '../oauth-flow/test/stub-provider-context.ts'

/** Part of every secret that the tests send or receive. */
const CANARY = 'canary7f3'
const KEY = `desk_live_${CANARY}`
const PROVIDER_ID = 'prov_9f2b/7c:1'

describeOnBothDatabases('The attempt of each way to connect', (newUrl) => {
  let t: StubProviderContext & PageTestContext
  let desk: Awaited<ReturnType<typeof defineDesk>>
  let now = Date.now()
  let count = 0
  const secrets: string[] = [CANARY]
  before(async () => {
    t = await testContext({ pages: true, provider: true, now: () => now, url: await newUrl() })
    desk = await defineDesk(t)
    t.stubServer.serve('/rejected/told', (_request, response) =>
      response
        .writeHead(401, { 'x-request-id': PROVIDER_ID })
        .end(JSON.stringify({ status: false, error: `not ${KEY}` })),
    )
  })
  after(() => t.close())

  const list = async (query: string) => expectOk(await t.call('GET', `/v1/attempt?${query}`))
  /** Runs an attempt for a customer of its own, and returns what is listed of it. */
  const attempt = async (run: (accountIdentifier: string) => Promise<unknown>) => {
    const accountIdentifier = `customer-${++count}`
    now += 1_000
    const startedAt = now
    await run(accountIdentifier)
    const listed = await list(`accountIdentifier=${accountIdentifier}`)
    for (const { at, requestId } of listed) {
      assert.ok(Date.parse(at) >= startedAt && Date.parse(at) <= now, at)
      assert.ok(typeof requestId === 'string' && requestId.length > 8, requestId)
    }
    return listed.map((each: AnyBody) => ({
      via: each.via,
      tool: each.integrationDefinitionName,
      method: each.authType,
      outcome: each.outcome,
      code: each.code,
      status: each.providerStatus,
      ...(each.providerRequestId === null ? {} : { providerId: each.providerRequestId }),
    }))
  }
  const createLink = async (definitionId: string) =>
    t.link({ integrationDefinitionId: definitionId })
  const credentials = (base = t.stubServer.url) => ({
    integrationDefinitionId: desk.definitionId,
    authType: 'Api Key',
    config: { api_key: KEY, base_url: base, mode: 'told' },
  })
  const rejecting = () => `${t.stubServer.url}/rejected`
  const DESK = { tool: 'Desk', method: 'Api Key' }
  const REJECTED = {
    outcome: 'failed',
    code: 'credentials_rejected',
    status: 401,
    providerId: PROVIDER_ID,
  }
  const CONNECTED = { outcome: 'connected', code: null }

  it('through the API: create, check and replace credentials', async () => {
    const name = { integrationAccountName: 'Desk' }
    let id = ''
    const created = await attempt(async (accountIdentifier) => {
      const body = { ...credentials(), ...name, accountIdentifier }
      id = expectCreated(
        await t.call('POST', '/v1/integration_account', { body }),
      ).integrationAccountId
      const config = { ...body.config, base_url: rejecting() }
      const update = { body: { authType: 'Api Key', config } }
      now += 1
      expectError(
        await t.call('POST', `/v1/integration_account/${id}`, update),
        'credentials_rejected',
      )
      now += 1
      const changed = { body: { authType: 'Api Key', config: body.config } }
      expectOk(await t.call('POST', `/v1/integration_account/${id}`, changed))
    })
    assert.deepEqual(created, [
      { via: 'api', ...DESK, ...CONNECTED, status: 200 },
      { via: 'api', ...DESK, ...REJECTED },
      { via: 'api', ...DESK, ...CONNECTED, status: 200 },
    ])
    const failed = await attempt(async (accountIdentifier) => {
      const body = { ...credentials(rejecting()), ...name, accountIdentifier }
      const response = await t.call('POST', '/v1/integration_account', { body })
      expectError(response, 'credentials_rejected')
      const line = findRequestLine(response.headers['x-request-id'])
      assert.equal(line.error, 'credentials_rejected')
      assert.equal(line.tool, (await list('limit=1'))[0].integrationDefinitionKey)
    })
    assert.deepEqual(failed, [{ via: 'api', ...DESK, ...REJECTED }])
    const check = await t.call('POST', '/v1/integration_account/check', {
      body: credentials(rejecting()),
    })
    assert.equal(expectOk(check).status, false)
    assert.equal(findRequestLine(check.headers['x-request-id']).error, 'credentials_rejected')
    const [checked] = await list('limit=1')
    assert.equal(checked.requestId, check.headers['x-request-id'])
    assert.deepEqual([checked.outcome, checked.code], ['failed', 'credentials_rejected'])
    assert.equal(checked.providerRequestId, PROVIDER_ID)
  })

  it('has no request ID of a provider that repeats the key, in any encoding, or that sends no ID', async () => {
    const ids = [
      KEY,
      `req-${KEY}-1`,
      Buffer.from(KEY).toString('base64'),
      Buffer.from(KEY).toString('hex'),
    ]
    const others = [
      '',
      'a b',
      'x'.repeat(129),
      '<script>',
      'a"}',
      '\u001b[31m'.replace('\u001b', '\t'),
    ]
    for (const id of [...ids, ...others]) {
      t.stubServer.serve('/echo/told', (_request, response) =>
        response
          .writeHead(401, { 'x-request-id': id })
          .end(JSON.stringify({ status: false, error: 'no' })),
      )
      const body = credentials(`${t.stubServer.url}/echo`)
      expectOk(await t.call('POST', '/v1/integration_account/check', { body }))
      now += 1
      const [{ providerStatus, providerRequestId }] = await list('limit=1')
      assert.deepEqual([providerStatus, providerRequestId], [401, null], id)
    }
    secrets.push(...ids)
  })

  it('through the form of a link', async () => {
    const path = await createLink(desk.definitionId)
    const submit = async (accountIdentifier: string, base: string) => {
      const visitor = t.visitor()
      const page = await visitor.get(`${path}?accountIdentifier=${accountIdentifier}`)
      const values = { 'field.api_key': KEY, 'field.base_url': base }
      const response = await visitor.submit(page, values)
      secrets.push(...visitor.jar.values())
      return response
    }
    const connected = await attempt((identifier) => submit(identifier, t.stubServer.url))
    assert.deepEqual(connected, [{ via: 'link', ...DESK, ...CONNECTED, status: 200 }])
    const failed = await attempt(async (identifier) => {
      const { headers } = await submit(identifier, rejecting())
      const { error, link } = findRequestLine(headers.get('x-request-id'))
      assert.deepEqual(
        [error, link],
        ['credentials_rejected', path.slice('/link/'.length).slice(0, 8)],
      )
    })
    assert.deepEqual(failed, [{ via: 'link', ...DESK, ...REJECTED }])
  })

  /** Opens a connect session in a browser; returns its form. */
  const openSession = async (linkPath: string, accountIdentifier: string) => {
    const linkId = linkPath.slice('/link/'.length)
    const body = { linkId, accountIdentifier }
    const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    const visitor = t.visitor()
    const pressed = await pressStart(visitor, session.url)
    secrets.push(session.token)
    return { session, visitor, form: await visitor.get(pressed.location ?? '') }
  }

  it('through the form of a connect session', async () => {
    const path = await createLink(desk.definitionId)
    let sessionId = ''
    const listed = await attempt(async (identifier) => {
      const { session, visitor, form } = await openSession(path, identifier)
      sessionId = session.connectSessionId
      const values = createValidFormValues(t)
      const wrong = { ...values, 'field.api_key': KEY, 'field.base_url': rejecting() }
      const again = await visitor.submit(form, wrong)
      now += 1
      await visitor.submit(again, { ...values, 'field.api_key': KEY })
      secrets.push(...visitor.jar.values())
    })
    assert.deepEqual(listed, [
      { via: 'connect_session', ...DESK, ...CONNECTED, status: 200 },
      { via: 'connect_session', ...DESK, ...REJECTED },
    ])
    assert.equal((await list(`connectSessionId=${sessionId}`)).length, 2)
  })

  const tokens = () => {
    const access_token = `at_${CANARY}_${++count}`
    const refresh_token = `rt_${CANARY}_${count}`
    t.respondToToken = respondWithJson(200, { access_token, refresh_token, expires_in: 3_600 })
  }
  const STUB = { tool: 'Stub', method: 'OAuth2' }

  /** Sends the sign-in form, and returns with these parameters of the provider. */
  const signIn = async (visitor: TestVisitor, form: FetchedPage, params: AnyBody) => {
    const sent = await visitor.submit(form)
    const state = new URL(sent.location ?? '').searchParams.get('state') ?? assert.fail(sent.text)
    secrets.push(state, ...visitor.jar.values())
    const query = new URLSearchParams({ state, iss: ISSUER, ...params })
    return visitor.get(`/api/v1/oauth/callback?${query}`)
  }

  it('through the sign-in of a link and of a connect session', async () => {
    const path = await createLink(t.definitionId)
    tokens()
    const connected = await attempt(async (identifier) => {
      const visitor = t.visitor()
      const form = await visitor.get(`${path}?accountIdentifier=${identifier}`)
      await signIn(visitor, form, { code: `code-${CANARY}` })
    })
    assert.deepEqual(connected, [{ via: 'link', ...STUB, ...CONNECTED, status: null }])
    const declined = await attempt(async (identifier) => {
      const { visitor, form } = await openSession(path, identifier)
      await signIn(visitor, form, { error: 'access_denied', error_description: KEY })
    })
    const DECLINED = { outcome: 'cancelled', code: 'access_denied', status: null }
    assert.deepEqual(declined, [{ via: 'connect_session', ...STUB, ...DECLINED }])
  })

  it('through POST /v1/oauth', async () => {
    tokens()
    const connected = await attempt(async (accountIdentifier) => {
      const state = await t.begin(await t.start({ accountIdentifier }))
      await t.callback({ state, code: `code-${CANARY}`, iss: ISSUER })
      secrets.push(state)
    })
    assert.deepEqual(connected, [{ via: 'oauth', ...STUB, ...CONNECTED, status: null }])
    t.respondToToken = respondWithJson(400, { error: 'invalid_grant', error_description: KEY })
    const failed = await attempt(async (accountIdentifier) => {
      const state = await t.begin(await t.start({ accountIdentifier }))
      await t.callback({ state, code: `code-${CANARY}`, iss: ISSUER })
    })
    const EXCHANGE = { outcome: 'failed', code: 'token_exchange_failed', status: null }
    assert.deepEqual(failed, [{ via: 'oauth', ...STUB, ...EXCHANGE }])
    const refused = await attempt(async (accountIdentifier) => {
      const body = {
        integrationDefinitionId: desk.definitionId,
        integrationAccountName: 'a',
        accountIdentifier,
        confirm: false,
      }
      const response = await t.call('POST', '/v1/oauth', { body })
      expectError(response, 'auth_type_not_allowed')
      assert.match(String(findRequestLine(response.headers['x-request-id']).tool), /desk/)
    })
    const REFUSED = { outcome: 'failed', code: 'auth_type_not_allowed', status: null }
    assert.deepEqual(refused, [{ via: 'oauth', tool: 'Desk', method: null, ...REFUSED }])
  })

  it('is counted in /metrics, without names that tenants choose', async () => {
    const { text } = await t.call('GET', '!/metrics', { token: null })
    const lines = text.match(/^linchpin_connect_attempts_total.*$/gm) ?? []
    const read = (labels: string) =>
      Number(lines.find((line) => line.includes(`{definition="custom",${labels}}`))?.split(' ')[1])
    const count = (method: string, outcome: string, code = '') =>
      read(`method="${method}",outcome="${outcome}",code="${code}"`)
    assert.equal(count('credentials', 'connected'), 4)
    assert.equal(count('credentials', 'failed', 'credentials_rejected'), 15)
    assert.equal(count('sign_in', 'connected'), 2)
    assert.equal(count('sign_in', 'cancelled', 'access_denied'), 1)
    assert.equal(count('sign_in', 'failed', 'token_exchange_failed'), 1)
    assert.equal(count('sign_in', 'failed', 'auth_type_not_allowed'), 1)
    assert.equal(lines.length, 6, lines.join(' '))
  })

  it('has no secret in the list, the tables, the log, the metrics or the events', async () => {
    const rows = await t.database.read.selectFrom('connect_attempts').selectAll().execute()
    const events = await t.database.read.selectFrom('events').selectAll().execute()
    const texts = {
      list: JSON.stringify(await list('limit=1000')),
      table: JSON.stringify(rows),
      events: JSON.stringify(events),
      log: t.logs.join(''),
      metrics: (await t.call('GET', '!/metrics', { token: null })).text,
      // Every column of every table.
      database: await readAllText(t),
    }
    assert.ok(rows.length >= 11 && secrets.length > 10)
    for (const secret of [...secrets, t.token])
      for (const [name, text] of Object.entries(texts))
        assert.ok(!text.includes(secret), `${name} contains ${secret}`)
  })

  function findRequestLine(requestId: unknown): AnyBody {
    const line = t.logs.find(
      (each) => each.includes(`"reqId":"${requestId}"`) && each.includes('"route"'),
    )
    return JSON.parse(line ?? assert.fail(`no line of ${requestId}`))
  }
})
