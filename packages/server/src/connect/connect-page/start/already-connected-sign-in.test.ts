import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { expectCreated, expectOk, testContext } from '../../../../test/test-context.ts'
import type { RevocationTestContext } from '../../oauth-flow/test/revocation-test-context.ts'
import {
  getReturnParams,
  ISSUER,
  respondWithJson,
} from '../../oauth-flow/test/stub-provider-context.ts'
import { sweep } from '../../oauth-flow/test/sweep.ts'
import { type PageTestContext, RETURN_URL } from '../test/page-test-context.ts'
import { extractForm, type FetchedPage, type TestVisitor } from '../test/test-visitor.ts'

describeOnBothDatabases('A sign-in of a user who is connected already', (newUrl) => {
  let t: RevocationTestContext & PageTestContext
  let linkId: string
  let now = Date.now()
  let customers = 0
  before(async () => {
    const options = { provider: { revocation: true }, pages: true, now: () => now } as const
    t = await testContext({ ...options, url: await newUrl() })
    const body = { linkName: 'a', preferOAuth: true }
    linkId = expectCreated(await t.call('POST', '/v1/link', { body })).linkId
  })
  after(() => t.close())

  const newCustomer = () => `customer-${++customers}`
  const create = async (body: AnyBody) =>
    expectCreated(await t.call('POST', '/v1/connect_session', { body: { linkId, ...body } }))
  /** Signs in, and returns the page afterwards. */
  const signIn = async (session: AnyBody, access: string, visitor = t.visitor()) => {
    const tokens = { access_token: access, refresh_token: `rt_${access}`, expires_in: 3_600 }
    t.respondToToken = respondWithJson(200, tokens)
    const start = await visitor.get(session.url)
    const form = start.status === 303 ? await visitor.get(start.location ?? '') : start
    const sent = await visitor.submit(form)
    const state = new URL(sent.location ?? '').searchParams.get('state') ?? ''
    const params = new URLSearchParams({ state, code: `code-${access}`, iss: ISSUER })
    const callback = await visitor.get(`/api/v1/oauth/callback?${params}`)
    return { visitor, callback, page: await visitor.get(callback.location ?? '') }
  }
  const connect = async (accountIdentifier: string, access: string): Promise<string> => {
    const { page } = await signIn(await create({ accountIdentifier }), access)
    assert.equal(page.state, 'connected', page.text)
    return JSON.parse(page.getData('data-account') ?? '').integrationAccountId
  }
  const choose = async (visitor: TestVisitor, page: FetchedPage, choice: string) => {
    const sent = await visitor.submit(page, { choice })
    return sent.status === 303 ? visitor.get(sent.location ?? '') : sent
  }
  const getSession = async ({ connectSessionId }: AnyBody) =>
    expectOk(await t.call('GET', `/v1/connect_session/${connectSessionId}`))
  const listAccounts = async (accountIdentifier: string): Promise<AnyBody[]> =>
    expectOk(await t.call('GET', `/v1/integration_account?accountIdentifier=${accountIdentifier}`))
  const readToken = async (id: string) =>
    expectOk(await t.call('GET', `/v1/integration_account/${id}/credentials`)).config.access_token

  it('creates nothing, and asks, also after a reload', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'alice.1')
    const session = await create({ accountIdentifier })
    const { visitor, callback, page } = await signIn(session, 'alice.2')
    assert.deepEqual([page.status, page.state], [200, 'alreadyConnected'], page.text)
    // The cookie lasts ten minutes, as the choice does.
    assert.match(callback.headers.getSetCookie().join(), /linchpin-oauth=[^;]+;.*Max-Age=600/i)
    assert.match(page.plain, /already connected <bdi>alice<\/bdi>/)
    assert.equal((await visitor.get(page.url)).state, 'alreadyConnected')
    assert.doesNotMatch(page.text, /alice\.2/)
    const { status, lastError } = await getSession(session)
    assert.deepEqual([status, lastError.code], ['opened', 'already_connected'])
    assert.equal((await listAccounts(accountIdentifier)).length, 1)
    assert.equal(await readToken(id), 'alice.1')
    const { connectSessionId } = session
    const attemptPath = `/connect/${connectSessionId}/attempts/${page.getData('data-attempt')}`
    assert.deepEqual(JSON.parse((await visitor.get(attemptPath)).text), {
      state: 'failed',
      code: 'already_connected',
    })
    const [attempt] = expectOk(
      await t.call('GET', `/v1/attempt?connectSessionId=${connectSessionId}`),
    )
    assert.deepEqual([attempt.outcome, attempt.code], ['failed', 'already_connected'])
    // The window of the sign-in only says that it can be closed.
    const closed = await visitor.get(
      `/connect/${connectSessionId}/closed?attempt=${page.getData('data-attempt')}`,
    )
    assert.equal(closed.state, 'closed')
    assert.match(closed.plain, /You can close this window/)
    // Its script notifies the page that opened it.
    assert.equal(closed.getData('data-attempt'), page.getData('data-attempt'))
  })

  it('updates the account of that user, which need not be confirmed', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'alice.1')
    const renamed = { body: { integrationAccountName: 'Support' } }
    expectOk(await t.call('POST', `/v1/integration_account/${id}`, renamed))
    const session = await create({ accountIdentifier, redirectURL: RETURN_URL })
    const { visitor, page } = await signIn(session, 'alice.2')
    t.revoked.length = 0
    const done = await choose(visitor, page, 'update')
    assert.equal(done.state, 'connected', done.text)
    assert.doesNotMatch(done.plain, /confirmToken/)
    assert.equal(JSON.parse(done.getData('data-account') ?? '').integrationAccountId, id)
    assert.equal(await readToken(id), 'alice.2')
    assert.deepEqual(t.revoked, [])
    const { status, integrationAccountIds, lastError } = await getSession(session)
    assert.deepEqual([status, integrationAccountIds, lastError], ['completed', [id], null])
    const [account, ...others] = await listAccounts(accountIdentifier)
    assert.deepEqual(
      [account?.status, account?.integrationAccountName, others.length],
      ['active', 'Support', 0],
    )
    const attempts = expectOk(
      await t.call('GET', `/v1/attempt?connectSessionId=${session.connectSessionId}`),
    )
    assert.deepEqual(
      attempts.map((one: AnyBody) => [one.outcome, one.integrationAccountId]),
      [
        ['connected', id],
        ['failed', null],
      ],
    )
    const again = await choose(visitor, page, 'add')
    assert.equal(again.state, 'connected')
    assert.equal((await listAccounts(accountIdentifier)).length, 1)
  })

  it('is added as another account, which is confirmed as always', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'alice.1')
    const session = await create({ accountIdentifier, redirectURL: RETURN_URL })
    const { visitor, page } = await signIn(session, 'alice.2')
    const done = await choose(visitor, page, 'add')
    assert.equal(done.state, 'connected', done.text)
    const back = /href="(https:\/\/app\.example[^"]*)"/.exec(done.plain)?.[1] ?? ''
    const { confirmToken, integrationAccountId } = Object.fromEntries(new URL(back).searchParams)
    assert.notEqual(integrationAccountId, id)
    const path = `/v1/connect_session/${session.connectSessionId}/confirm`
    expectOk(await t.call('POST', path, { body: { confirmToken } }))
    assert.equal(await readToken(integrationAccountId ?? ''), 'alice.2')
    assert.equal(await readToken(id), 'alice.1')
  })

  it('is decided only by the browser that signed in, in its own session', async () => {
    const accountIdentifier = newCustomer()
    await connect(accountIdentifier, 'alice.1')
    const session = await create({ accountIdentifier })
    const { visitor, page } = await signIn(session, 'alice.2')
    const { action, fields } = extractForm(page)
    const values = { ...fields, choice: 'update' }
    const before = await listAccounts(accountIdentifier)
    assert.equal((await t.visitor().post(action, values)).status, 410)
    const crossSite = { 'sec-fetch-site': 'cross-site' }
    assert.equal((await visitor.post(action, values, crossSite)).status, 410)
    // Another session, which names the sign-in of this one.
    const other = await signIn(await create({ accountIdentifier }), 'alice.3')
    const own = extractForm(other.page)
    await other.visitor.post(own.action, {
      ...own.fields,
      ...values,
      visit: own.fields.visit ?? '',
    })
    assert.deepEqual(await listAccounts(accountIdentifier), before)
    // The cookie of the sign-in is gone.
    const oauthCookie = visitor.jar.get('linchpin-oauth') ?? ''
    assert.notEqual(oauthCookie, '')
    visitor.jar.delete('linchpin-oauth')
    assert.equal((await choose(visitor, page, 'update')).state, 'alreadyConnected')
    visitor.jar.set('linchpin-oauth', oauthCookie)
    assert.equal((await choose(visitor, page, 'nonsense')).state, 'alreadyConnected')
    assert.deepEqual(await listAccounts(accountIdentifier), before)
    assert.equal((await choose(visitor, page, 'update')).state, 'connected')
  })

  it('is decided once, however often the form is sent', async () => {
    const accountIdentifier = newCustomer()
    await connect(accountIdentifier, 'alice.1')
    const { visitor, page } = await signIn(await create({ accountIdentifier }), 'alice.2')
    const choices = Array.from({ length: 10 }, () => visitor.submit(page, { choice: 'add' }))
    const logged = t.logs.length
    await Promise.all(choices)
    assert.doesNotMatch(t.logs.slice(logged).join(), /an OAuth connection failed/)
    assert.equal((await visitor.get(page.url)).state, 'connected')
    assert.equal((await listAccounts(accountIdentifier)).length, 2)
  })

  it('is connected once by five browsers that update an account that is gone', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'alice.1')
    const all = []
    for (const access of ['alice.2', 'alice.3', 'alice.4', 'alice.5', 'alice.6'])
      all.push(await signIn(await create({ accountIdentifier }), access))
    expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    const pages = await Promise.all(all.map(({ visitor, page }) => choose(visitor, page, 'update')))
    for (const { state = '', text } of pages)
      assert.ok(['connected', 'alreadyConnected'].includes(state), text)
    assert.equal((await listAccounts(accountIdentifier)).length, 1)
  })

  it('is connected if the account was disconnected before the choice', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'alice.1')
    const { visitor, page } = await signIn(await create({ accountIdentifier }), 'alice.2')
    expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    assert.equal((await choose(visitor, page, 'update')).state, 'connected')
    const [account, ...others] = await listAccounts(accountIdentifier)
    assert.notEqual(account?.integrationAccountId, id)
    assert.equal(others.length, 0)
  })

  it('stores nothing when the session is revoked before the choice', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'alice.1')
    const session = await create({ accountIdentifier })
    const { visitor, page } = await signIn(session, 'alice.2')
    expectOk(await t.call('DELETE', `/v1/connect_session/${session.connectSessionId}`))
    assert.equal((await visitor.submit(page, { choice: 'update' })).status, 410)
    assert.equal(await readToken(id), 'alice.1')
  })

  it('is recognized in a session without a link, too', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'alice.1')
    const integrationDefinitionIds = [t.definitionId]
    const session = await create({ linkId: null, accountIdentifier, integrationDefinitionIds })
    const { visitor, page } = await signIn(session, 'alice.2')
    assert.equal(page.state, 'alreadyConnected', page.text)
    assert.equal((await choose(visitor, page, 'update')).state, 'connected')
    assert.equal(await readToken(id), 'alice.2')
    assert.deepEqual((await getSession(session)).integrationAccountIds, [id])
  })

  it('has nothing to decide once the session has all its accounts', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'alice.1')
    const session = await create({ accountIdentifier })
    const { visitor, page } = await signIn(session, 'alice.2')
    assert.equal((await signIn(session, 'bob.1', visitor)).page.state, 'connected')
    const late = await choose(visitor, page, 'update')
    assert.deepEqual([late.state, late.getData('data-code')], ['failed', 'already_connected'])
    assert.equal(await readToken(id), 'alice.1')
  })

  it('leads to the question again if the account changes while it is updated', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'alice.1')
    const all = await Promise.all(
      ['alice.2', 'alice.3'].map(async (access) =>
        signIn(await create({ accountIdentifier }), access),
      ),
    )
    const pages = await Promise.all(all.map(({ visitor, page }) => choose(visitor, page, 'update')))
    for (const { state, text } of pages)
      assert.ok(state === 'connected' || state === 'alreadyConnected', text)
    assert.ok(pages.some(({ state }) => state === 'connected'))
    assert.notEqual(await readToken(id), 'alice.1')
  })

  it('expires after ten minutes, and its tokens are revoked if no account shares them', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'carol.1')
    const session = await create({ accountIdentifier })
    const { visitor, page } = await signIn(session, 'carol.2')
    expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    t.revoked.length = 0
    now += 11 * 60_000
    const late = await choose(visitor, page, 'add')
    assert.notEqual(late.state, 'connected')
    await sweep(t, () => now)
    assert.deepEqual(t.revoked, ['rt_carol.2', 'carol.2'])
    const expired = await visitor.get(page.url)
    assert.deepEqual([expired.state, expired.getData('data-code')], ['failed', 'sign_in_overdue'])
    assert.equal((await listAccounts(accountIdentifier)).length, 0)
  })

  it('is connected without a question where the customer or the user is unknown', async () => {
    const accountIdentifier = newCustomer()
    await connect(accountIdentifier, 'unknown.1')
    await connect(accountIdentifier, 'unknown.2')
    await connect(accountIdentifier, 'dave.1')
    await connect(newCustomer(), 'dave.2')
    for (const access of ['dave.3', 'dave.4']) {
      const { page } = await signIn(await create({}), access)
      assert.equal(page.state, 'connected', page.text)
    }
  })

  it('is connected without a question through a link, and by the API', async () => {
    const accountIdentifier = newCustomer()
    await connect(accountIdentifier, 'alice.1')
    const visitor = t.visitor()
    const path = `/link/${linkId}?accountIdentifier=${accountIdentifier}`
    const sent = await visitor.submit(await visitor.get(path))
    const state = new URL(sent.location ?? '').searchParams.get('state') ?? ''
    const params = new URLSearchParams({ state, code: 'code', iss: ISSUER })
    const callback = await visitor.get(`/api/v1/oauth/callback?${params}`)
    assert.equal((await visitor.get(callback.location ?? '')).state, 'connected')
    const { success } = getReturnParams(await t.completeFlow({ accountIdentifier }))
    assert.equal(success, 'true')
    assert.equal((await listAccounts(accountIdentifier)).length, 3)
  })
})
