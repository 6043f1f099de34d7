import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../../test/any-body.ts'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { countRows, expectCreated, expectOk, testContext } from '../../../../test/test-context.ts'
import { createValidFormValues, DESK_SPEC, defineDesk } from '../test/desk.ts'
import type { PageTestContext } from '../test/page-test-context.ts'
import {
  extractForm,
  type FetchedPage,
  pressStart,
  type TestVisitor,
} from '../test/test-visitor.ts'

/** IDENTITY reports the user whose name is in the key: `user_alice_0001`. */
const IDENTIFYING_DESK = createMiniBundle(DESK_SPEC).replace(
  "if (command !== 'CHECK')",
  `if (command === 'IDENTITY') {
    const user = /^user_([a-z]+)_/.exec(params.config.api_key)?.[1]
    return user === undefined ? {} : { id: user, label: user + '@desk.example' }
  }
  if (command !== 'CHECK')`,
)

describeOnBothDatabases('A key of a user who is connected already', (newUrl) => {
  let t: PageTestContext
  let linkId: string
  let definitionId: string
  let customers = 0
  before(async () => {
    t = await testContext({ pages: true, url: await newUrl() })
    definitionId = (await defineDesk(t, { code: IDENTIFYING_DESK })).definitionId
    const body = { linkName: 'a', integrationDefinitionId: definitionId }
    linkId = expectCreated(await t.call('POST', '/v1/link', { body })).linkId
  })
  after(() => t.close())

  const newCustomer = () => `customer-${++customers}`
  const create = async (body: AnyBody = {}) =>
    expectCreated(await t.call('POST', '/v1/connect_session', { body: { linkId, ...body } }))
  const open = async (visitor: TestVisitor, { url }: AnyBody): Promise<FetchedPage> => {
    const pressed = await pressStart(visitor, url)
    assert.equal(pressed.status, 303, pressed.text)
    return visitor.get(pressed.location ?? '')
  }
  const enter = (key: string, more: AnyBody = {}) => ({
    ...createValidFormValues(t),
    'field.api_key': key,
    ...more,
  })
  /** Sends a key in a new session of the customer. Returns the next page. */
  const send = async (session: AnyBody, values: Record<string, string>) => {
    const visitor = t.visitor()
    const form = await open(visitor, session)
    const sent = await visitor.submit(form, values)
    return { visitor, page: sent.status === 303 ? await visitor.get(sent.location ?? '') : sent }
  }
  const connect = async (accountIdentifier: string, key: string, more = {}): Promise<string> => {
    const { page } = await send(await create({ accountIdentifier }), enter(key, more))
    assert.equal(page.state, 'connected', page.text)
    return JSON.parse(page.getData('data-account') ?? '').integrationAccountId
  }
  const choose = async (visitor: TestVisitor, page: FetchedPage, values: AnyBody) => {
    const sent = await visitor.submit(page, values)
    return sent.status === 303 ? visitor.get(sent.location ?? '') : sent
  }
  const getSession = async ({ connectSessionId }: AnyBody) =>
    expectOk(await t.call('GET', `/v1/connect_session/${connectSessionId}`))
  const listAccounts = async (accountIdentifier: string): Promise<AnyBody[]> =>
    expectOk(await t.call('GET', `/v1/integration_account?accountIdentifier=${accountIdentifier}`))
  const readKey = async (id: string) =>
    expectOk(await t.call('GET', `/v1/integration_account/${id}/credentials`)).config.api_key
  const listAttempts = async (accountIdentifier: string) =>
    expectOk(await t.call('GET', `/v1/attempt?accountIdentifier=${accountIdentifier}`))
      .map((one: AnyBody) => [one.outcome, one.code, one.integrationAccountId])
      .reverse()

  it('creates nothing, and asks; the page has no key', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'user_alice_0001')
    const session = await create({ accountIdentifier })
    const before = await countRows(t, 'accounts')
    const { visitor, page } = await send(session, enter('user_alice_0002'))
    assert.deepEqual([page.status, page.state], [409, 'alreadyConnected'])
    assert.match(page.plain, /already connected <bdi>alice@desk\.example<\/bdi>/)
    assert.match(page.plain, /name="choice" value="update"[\s\S]*name="choice" value="add"/)
    assert.doesNotMatch(page.plain, /user_alice/)
    assert.ok(page.plain.includes(t.stubServer.url), 'the other fields are filled in')
    assert.equal(await countRows(t, 'accounts'), before)
    const { status, lastError } = await getSession(session)
    assert.deepEqual([status, lastError.code], ['opened', 'already_connected'])
    assert.deepEqual(await listAttempts(accountIdentifier), [
      ['connected', null, id],
      ['failed', 'already_connected', null],
    ])
    // The second form is not answered either.
    const again = await choose(visitor, page, enter('user_alice_0002'))
    assert.equal(again.state, 'alreadyConnected')
    assert.equal(await readKey(id), 'user_alice_0001')
  })

  it('updates the account of that user, as a reconnect does', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'user_alice_0001')
    const session = await create({ accountIdentifier })
    const { visitor, page } = await send(session, enter('user_alice_0002'))
    const done = await choose(visitor, page, enter('user_alice_0003', { choice: 'update' }))
    assert.equal(done.state, 'connected', done.text)
    assert.equal(JSON.parse(done.getData('data-account') ?? '').integrationAccountId, id)
    assert.equal((await listAccounts(accountIdentifier)).length, 1)
    assert.equal(await readKey(id), 'user_alice_0003')
    const { status, integrationAccountIds, lastError } = await getSession(session)
    assert.deepEqual([status, integrationAccountIds, lastError], ['completed', [id], null])
    assert.deepEqual((await listAttempts(accountIdentifier)).at(-1), ['connected', null, id])
    const events = await t.database.read
      .selectFrom('events')
      .select('type')
      .where('subject', '=', id as `acc_${string}`)
      .execute()
    assert.deepEqual(events.map(({ type }) => type).sort(), [
      'account.created',
      'account.reconnected',
    ])
    // A second click, of the form that asked and of the first one.
    const second = await choose(visitor, page, enter('user_alice_0004', { choice: 'add' }))
    assert.equal(second.state, 'alreadyFinished')
    assert.equal((await listAccounts(accountIdentifier)).length, 1)
  })

  it('is added as another account, if the person says so', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'user_alice_0001')
    const session = await create({ accountIdentifier })
    const { visitor, page } = await send(session, enter('user_alice_0002'))
    const done = await choose(visitor, page, enter('user_alice_0002', { choice: 'add' }))
    assert.equal(done.state, 'connected', done.text)
    assert.equal((await listAccounts(accountIdentifier)).length, 2)
    assert.equal(await readKey(id), 'user_alice_0001')
    assert.equal((await getSession(session)).status, 'completed')
  })

  it('updates one that has stopped working rather than one that works', async () => {
    const accountIdentifier = newCustomer()
    await connect(accountIdentifier, 'user_alice_0001')
    const { visitor, page } = await send(
      await create({ accountIdentifier }),
      enter('user_alice_0002'),
    )
    const added = await choose(visitor, page, enter('user_alice_0002', { choice: 'add' }))
    const { integrationAccountId: broken } = JSON.parse(added.getData('data-account') ?? '')
    await t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set({ status: 'needs_reauth' })
        .where('account_id', '=', broken)
        .execute(),
    )
    const third = await send(await create({ accountIdentifier }), enter('user_alice_0003'))
    await choose(third.visitor, third.page, enter('user_alice_0003', { choice: 'update' }))
    assert.equal(await readKey(broken), 'user_alice_0003')
  })

  it('is connected without a question where nothing is known, and everywhere alike', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'user_alice_0001', { 'field.region': 'us' })
    const other = `${t.stubServer.url}/eu`
    t.stubServer.serve('/eu/told', (_request, response) => response.end('{"status":true}'))
    const sameCustomer = { accountIdentifier }
    for (const [name, body, values] of [
      ['another user', sameCustomer, enter('user_bob_0001')],
      ['an unknown user', sameCustomer, enter('desk_live_0123')],
      ['another host', sameCustomer, enter('user_alice_0002', { 'field.base_url': other })],
      ['another region', sameCustomer, enter('user_alice_0002', { 'field.region': 'eu' })],
      ['another customer', { accountIdentifier: newCustomer() }, enter('user_alice_0002')],
      ['no customer', {}, enter('user_alice_0002')],
      ['no customer again', {}, enter('user_alice_0002')],
    ] as const) {
      const { page } = await send(await create(body), values)
      assert.equal(page.state, 'connected', `${name}: ${page.getData('data-code')}`)
    }
    // The page of a link must not tell what is connected: a tool of the visitor can report any user.
    const visitor = t.visitor()
    for (const choice of [{}, { choice: 'update' }]) {
      const form = await visitor.get(`/link/${linkId}?accountIdentifier=${accountIdentifier}`)
      const sent = await visitor.submit(form, enter('user_alice_0002', choice))
      assert.equal(sent.status, 303, sent.text)
    }
    assert.equal(await readKey(id), 'user_alice_0001')
  })

  it('is not found in a pending or a deleted account, or in one of another workspace', async () => {
    const accountIdentifier = newCustomer()
    const change = (id: string, values: object) =>
      t.database.transaction((trx) =>
        trx
          .updateTable('accounts')
          .set(values)
          .where('account_id', '=', id as `acc_${string}`)
          .execute(),
      )
    await change(await connect(accountIdentifier, 'user_alice_0001'), { status: 'pending' })
    const deleted = await connect(accountIdentifier, 'user_alice_0002')
    expectOk(await t.call('DELETE', `/v1/integration_account/${deleted}`))
    const { workspaceId } = await t.otherUser()
    const foreign = await connect(accountIdentifier, 'user_alice_0003')
    await change(foreign, { workspace_id: workspaceId })
    await connect(accountIdentifier, 'user_alice_0004')
  })

  it('names no account: a choice with an ID is none', async () => {
    const accountIdentifier = newCustomer()
    const mine = await connect(accountIdentifier, 'user_alice_0001')
    const theirs = await connect(newCustomer(), 'user_alice_0001')
    const { visitor, page } = await send(
      await create({ accountIdentifier }),
      enter('user_alice_0002'),
    )
    const named = await choose(visitor, page, enter('user_alice_0002', { choice: theirs }))
    assert.equal(named.state, 'alreadyConnected')
    const { action, fields } = extractForm(named)
    const extra = { choice: 'update', account: theirs, accountId: theirs }
    await visitor.post(action, { ...fields, ...enter('user_alice_0002', extra) })
    assert.deepEqual(
      [await readKey(mine), await readKey(theirs)],
      ['user_alice_0002', 'user_alice_0001'],
    )
  })

  it('is connected if the account was disconnected before the choice', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'user_alice_0001')
    const { visitor, page } = await send(
      await create({ accountIdentifier }),
      enter('user_alice_0002'),
    )
    expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    const done = await choose(visitor, page, enter('user_alice_0002', { choice: 'update' }))
    assert.equal(done.state, 'connected', done.text)
    const [account, ...others] = await listAccounts(accountIdentifier)
    assert.notEqual(account?.integrationAccountId, id)
    assert.equal(others.length, 0)
  })

  it('is connected once by five browsers that update an account that is gone, and the others ask again', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'user_alice_0001')
    const asked = await Promise.all(
      Array.from({ length: 5 }, async () =>
        send(await create({ accountIdentifier }), enter('user_alice_0002')),
      ),
    )
    expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    const sent = await Promise.all(
      asked.map(({ visitor, page }) =>
        visitor.submit(page, enter('user_alice_0003', { choice: 'update' })),
      ),
    )
    for (const { status, text } of sent) assert.ok([303, 409].includes(status), text)
    assert.equal((await listAccounts(accountIdentifier)).length, 1)
  })

  it('is connected once by ten browsers that send it at once', async () => {
    const accountIdentifier = newCustomer()
    const forms = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const visitor = t.visitor()
        return { visitor, form: await open(visitor, await create({ accountIdentifier })) }
      }),
    )
    const sent = await Promise.all(
      forms.map(({ visitor, form }, index) =>
        visitor.submit(form, enter(`user_alice_${index}000`)),
      ),
    )
    const statuses = sent.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [303, ...Array.from({ length: 9 }, () => 409)])
    assert.equal((await listAccounts(accountIdentifier)).length, 1)
  })

  it('is recognized in a session without a link, too', async () => {
    const accountIdentifier = newCustomer()
    const id = await connect(accountIdentifier, 'user_alice_0001')
    const integrationDefinitionIds = [definitionId]
    const session = await create({ linkId: null, accountIdentifier, integrationDefinitionIds })
    const { visitor, page } = await send(session, enter('user_alice_0002'))
    assert.equal(page.state, 'alreadyConnected', page.text)
    const done = await choose(visitor, page, enter('user_alice_0002', { choice: 'update' }))
    assert.equal(done.state, 'connected', done.text)
    assert.equal(await readKey(id), 'user_alice_0002')
  })

  it('is recognized in a portal and in a frame, too', async () => {
    const accountIdentifier = newCustomer()
    await connect(accountIdentifier, 'user_alice_0001')
    const session = await create({ accountIdentifier, mode: 'manage' })
    const visitor = t.visitor()
    const portal = await open(visitor, session)
    const form = await visitor.get(`${portal.url}?view=connect`)
    const page = await visitor.submit(form, enter('user_alice_0002'))
    assert.equal(page.state, 'alreadyConnected', page.text)
    const framed = await create({ accountIdentifier })
    const guest = t.visitor()
    const start = await guest.get(framed.url.replace('/connect/', '/connect/frame/'), {
      'sec-fetch-dest': 'iframe',
    })
    const asked = await guest.submit(await guest.submit(start), enter('user_alice_0002'))
    assert.equal(asked.state, 'alreadyConnected', asked.text)
    const done = await guest.submit(asked, enter('user_alice_0002', { choice: 'update' }))
    assert.deepEqual([done.status, done.state], [200, 'connected'], done.text)
    assert.equal((await listAccounts(accountIdentifier)).length, 1)
  })
})
