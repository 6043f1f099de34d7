import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectCreated, expectOk, testContext } from '../../../test/test-context.ts'
import type { AccountId, AccountRow } from '../../accounts/accounts/account.ts'
import { createAccountUseStore } from '../../accounts/accounts/account-use-store.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { newId } from '../../platform/storage/id.ts'
import { PORTAL_PAGE_SIZE } from './portal.ts'
import { createValidFormValues, defineDesk } from './test/desk.ts'
import type { PageTestContext } from './test/page-test-context.ts'
import {
  type FetchedPage,
  getVisibleText,
  pressStart,
  type TestVisitor,
} from './test/test-visitor.ts'

const describePortal = (hasLink: boolean) => (newUrl: NewDatabaseUrl) => {
  let t: PageTestContext
  let definitionId: string
  let linkId: string
  let customers = 0
  before(async () => {
    t = await testContext({ pages: true, url: await newUrl() })
    definitionId = (await defineDesk(t)).definitionId
    linkId = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } })).linkId
  })
  after(() => t.close())

  const newCustomer = () => {
    customers += 1
    return `customer-${customers}`
  }
  const policy = () => (hasLink ? { linkId } : {})
  const createSession = async (body: AnyBody) =>
    expectCreated(
      await t.call('POST', '/v1/connect_session', {
        body: { ...policy(), mode: 'manage', ...body },
      }),
    )
  /** Presses the button of a new session and returns the portal. */
  const openPortal = async (
    visitor: TestVisitor,
    accountIdentifier: string,
    body: AnyBody = {},
  ): Promise<FetchedPage> => {
    const session = await createSession({ accountIdentifier, ...body })
    const start = await visitor.get(session.url)
    assert.match(start.plain, /Your connections to Acme/)
    const pressed = await visitor.submit(start)
    return visitor.get(pressed.location ?? '')
  }
  const createAccount = async (
    accountIdentifier: string,
    change: Partial<AccountRow> = {},
  ): Promise<AccountId> => {
    const { integrationAccountId: id } = expectCreated(
      await t.call('POST', '/v1/integration_account', {
        body: {
          integrationDefinitionId: definitionId,
          integrationAccountName: `Desk of ${accountIdentifier}`,
          authType: 'Api Key',
          config: { api_key: 'desk_live_canary_0123', base_url: t.stubServer.url, mode: 'told' },
          accountIdentifier,
        },
      }),
    )
    if (Object.keys(change).length > 0)
      await t.database.transaction((trx) =>
        trx.updateTable('accounts').set(change).where('account_id', '=', id).execute(),
      )
    return id
  }
  const findLink = (page: FetchedPage, text: RegExp) => {
    const links = [...page.plain.matchAll(/<a[^>]* href="([^"]*)"[^>]*>(.*?)<\/a>/gs)]
    const found = links.find(([tag]) => text.test(tag))
    assert.ok(found?.[1], `no link ${text}: ${page.plain}`)
    return found[1]
  }

  it('shows each account with its tool, its user, its times and its state in words', async () => {
    const customer = newCustomer()
    const at = Date.UTC(2026, 10, 3)
    await createAccount(customer, { identity_label: 'ada@example.com', created_at: at })
    await createAccount(customer, { status: 'needs_reauth', last_used_at: at + 86_400_000 })
    await createAccount(customer, { status: 'error' })
    await createAccount(customer, { status: 'pending' })
    await createAccount(customer, { status_reason: 'unchecked' })
    const page = await openPortal(t.visitor(), customer)
    assert.deepEqual([page.status, page.state], [200, 'portal'])
    const text = getVisibleText(page)
    for (const part of [
      'Signed in as ada@example.com',
      'Connected on 3 November 2026',
      'Last used on 4 November 2026',
      'Not used yet',
      'Working',
      'Not checked yet',
      'Stopped working. Reconnect it.',
      'Acme has to fix it.',
      'Waiting for Acme to confirm it',
      `Desk of ${customer}`,
      'Connect another tool',
    ])
      assert.ok(text.includes(part), `${part}: ${text}`)
  })

  it('lists what the customer has to reconnect first, and counts it, on every page', async () => {
    const customer = newCustomer()
    const now = Date.now()
    const ids: string[] = []
    for (let index = 0; index < PORTAL_PAGE_SIZE + 2; index += 1)
      ids.push(await createAccount(customer, { created_at: now + index, last_used_at: now }))
    const broken = ids.at(-1) ?? ''
    const failing = ids.at(-2) ?? ''
    for (const [id, status] of [
      [broken, 'needs_reauth'],
      [failing, 'error'],
    ] as const)
      await t.database.transaction((trx) =>
        trx
          .updateTable('accounts')
          .set({ status })
          .where('account_id', '=', id as 'acc_')
          .execute(),
      )
    const visitor = t.visitor()
    const page = await openPortal(visitor, customer)
    const text = getVisibleText(page)
    assert.match(text, /1 of 27 connections needs attention/)
    assert.match(text, /Last used today/)
    const next = await visitor.get(findLink(page, /Show more/))
    const listed = [page, next].flatMap(({ plain }) =>
      [...plain.matchAll(/disconnect=(acc_\w+)/g)].map(([, id]) => id),
    )
    assert.deepEqual(listed, [broken, failing, ...ids.slice(0, -2)])
    const buttons = page.plain.matchAll(/reconnect=(acc_\w+)" class="button (\w+)"/g)
    assert.deepEqual(
      [...buttons].map(([, id, kind]) => [kind, id]),
      [
        ['primary', broken],
        ['quiet', failing],
      ],
    )
  })

  it('disconnects after it has asked, and records that the customer did it', async () => {
    const customer = newCustomer()
    const id = await createAccount(customer, { identity_label: 'ada@example.com' })
    const visitor = t.visitor()
    const portal = await openPortal(visitor, customer)
    const ask = await visitor.get(findLink(portal, /Disconnect/))
    assert.equal(ask.state, 'disconnect')
    assert.match(getVisibleText(ask), /Disconnect Desk\? .*ada@example\.com/)
    assert.equal((await getAccount(id)).status, 'active', 'asking changes nothing')
    const done = await visitor.submit(ask)
    assert.deepEqual([done.status, done.state], [200, 'disconnected'])
    assert.match(getVisibleText(done), /If you created a key for this, delete it/)
    assert.equal((await getAccount(id)).status, 'deleted')
    const events = expectOk(
      await t.call('GET', `/v1/event?subject=${id}&types=account.deleted&wait=5`),
    )
    assert.deepEqual(
      [events[0]?.data.by, events[0]?.cause.kind, events[0]?.cause.via],
      ['customer', 'person', 'page'],
    )
    const entry = await selectAuditEntries(t.database.read)
      .select('detail')
      .where('subject', '=', id)
      .where('action', '=', 'account.deleted')
      .executeTakeFirstOrThrow()
    assert.equal(JSON.parse(entry.detail).by, 'customer')
    const again = await visitor.submit(ask)
    assert.deepEqual([again.status, again.state], [404, 'disconnectGone'])
    assert.equal((await visitor.get(portal.url)).state, 'portalEmpty')
    const row = await t.database.read
      .selectFrom('accounts')
      .select('identity_label')
      .where('account_id', '=', id)
      .executeTakeFirst()
    assert.equal(row?.identity_label, null)
  })
  const getAccount = async (id: string) =>
    expectOk(await t.call('GET', `/v1/integration_account/${id}`))

  it('disconnects only by its own form, in its own browser, and only what is listed', async () => {
    const [customer, other] = [newCustomer(), newCustomer()]
    const [own, foreign] = [await createAccount(customer), await createAccount(other)]
    const visitor = t.visitor()
    const portal = await openPortal(visitor, customer)
    const ask = await visitor.get(`${portal.url}?disconnect=${own}`)
    const otherVisitor = t.visitor()
    await openPortal(otherVisitor, other)
    for (const attempt of [
      () =>
        visitor.submit(ask, {}, { 'sec-fetch-site': 'cross-site', origin: 'https://e.example' }),
      () => visitor.submit(ask, { visit: 'x' }),
      () => otherVisitor.submit(ask),
      () => t.visitor().submit(ask),
      () => visitor.post(`${portal.url}/disconnect?accountIdentifier=${other}`, { account: own }),
    ])
      assert.equal((await attempt()).status, 410)
    const gone = await visitor.submit(ask, { account: foreign })
    assert.deepEqual([gone.status, gone.state], [404, 'disconnectGone'])
    const unknown = await visitor.submit(ask, { account: 'acc_none' })
    const strip = ({ text }: FetchedPage) => text.replaceAll(/nonce="[^"]*"|visit="[^"]*"/g, '')
    assert.equal(strip(unknown), strip(gone))
    assert.equal((await visitor.get(`${portal.url}?disconnect=${foreign}`)).state, 'disconnectGone')
    for (const id of [own, foreign]) assert.equal((await getAccount(id)).status, 'active')
  })

  it('is not part of a session that connects', async () => {
    const customer = newCustomer()
    const id = await createAccount(customer)
    const visitor = t.visitor()
    const { url } = await createSession({ mode: 'connect', accountIdentifier: customer })
    const page = await visitor.get((await pressStart(visitor, url)).location ?? '')
    assert.equal(page.state, 'form')
    const { origin, pathname } = new URL(page.url)
    const visit = page.getData('data-visit') ?? ''
    const refused = await visitor.post(`${origin}${pathname}/disconnect`, { visit, account: id })
    assert.equal(refused.status, 410)
    assert.equal((await getAccount(id)).status, 'active')
  })

  it('connects another tool and stays open', async () => {
    const customer = newCustomer()
    const visitor = t.visitor()
    const empty = await openPortal(visitor, customer)
    assert.equal(empty.state, 'portalEmpty')
    for (let count = 1; count <= 2; count += 1) {
      const form = await visitor.get(findLink(empty, /Connect a tool/))
      assert.equal(form.state, 'form')
      assert.ok(findLink(form, /data-back/))
      const submitted = await visitor.submit(form, createValidFormValues(t))
      const connected = await visitor.get(submitted.location ?? '')
      assert.equal(connected.state, 'connected')
      const portal = await visitor.get(findLink(connected, /Your connections/))
      assert.equal(portal.state, 'portal')
      assert.equal(portal.text.split('class="account"').length - 1, count)
      const reconnect = await visitor.get(findLink(portal, />Reconnect</))
      assert.match(reconnect.plain, /Reconnect .*Desk/)
      assert.equal((await visitor.get(findLink(reconnect, /data-back/))).state, 'portal')
    }
  })

  it('lists only the tools that the session names', async () => {
    const customer = newCustomer()
    await createAccount(customer)
    const other = await t.createDefinition({ name: 'Other' })
    const body = { integrationDefinitionIds: [other.integrationDefinitionId] }
    assert.equal((await openPortal(t.visitor(), customer, body)).state, 'portalEmpty')
    const own = { integrationDefinitionIds: [definitionId] }
    assert.equal((await openPortal(t.visitor(), customer, own)).state, 'portal')
  })

  it('shows many accounts in pages, each account once', async () => {
    const customer = newCustomer()
    const [first] = [await createAccount(customer)]
    const row = await t.database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', first)
      .executeTakeFirstOrThrow()
    const copies = Array.from({ length: PORTAL_PAGE_SIZE + 4 }, (_, index) => ({
      ...row,
      account_id: newId('acc', row.created_at + index),
    }))
    await t.database.transaction((trx) => trx.insertInto('accounts').values(copies).execute())
    const visitor = t.visitor()
    const page = await openPortal(visitor, customer)
    const next = await visitor.get(findLink(page, /Show more/))
    const ids = [page, next].flatMap(({ plain }) =>
      [...plain.matchAll(/disconnect=(acc_\w+)/g)].map(([, id]) => id),
    )
    assert.equal(ids.length, PORTAL_PAGE_SIZE + 5)
    assert.equal(new Set(ids).size, ids.length)
    assert.doesNotMatch(next.text, /Show more/)
  })

  it('runs in a frame', async () => {
    const customer = newCustomer()
    const id = await createAccount(customer)
    const session = await createSession({ accountIdentifier: customer })
    const visitor = t.visitor()
    const frameUrl = session.url.replace('/connect/', '/connect/frame/')
    const portal = await visitor.submit(await visitor.get(frameUrl, { 'sec-fetch-dest': 'iframe' }))
    assert.deepEqual([portal.status, portal.state], [200, 'portal'])
    const visit = { 'x-linchpin-visit': portal.getData('data-visit') ?? '' }
    const ask = await visitor.get(findLink(portal, /Disconnect/), visit)
    assert.equal(ask.state, 'disconnect')
    assert.equal((await visitor.submit(ask)).state, 'disconnected')
    assert.equal((await getAccount(id)).status, 'deleted')
    assert.equal(visitor.jar.size, 0)
  })

  it('shows when an account was last used, stored at most every 15 minutes', async () => {
    const id = await createAccount(newCustomer())
    const { write } = createAccountUseStore(t.database)
    const read = async () =>
      (
        await t.database.read
          .selectFrom('accounts')
          .select('last_used_at')
          .where('account_id', '=', id)
          .executeTakeFirst()
      )?.last_used_at
    await write([{ accountId: id, at: 1_000_000 }])
    await write([{ accountId: id, at: 1_000_000 + 15 * 60_000 - 1 }])
    assert.equal(await read(), 1_000_000)
    await write([{ accountId: id, at: 1_000_000 + 15 * 60_000 }])
    assert.equal(await read(), 1_000_000 + 15 * 60_000)
  })
}

describeOnBothDatabases('The portal', describePortal(true))
describeOnBothDatabases('The portal of a session without a link', describePortal(false))
