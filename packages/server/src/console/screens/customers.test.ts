import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectCreated, type TestContext, testContext } from '../../../test/test-context.ts'
import { decodeEntities } from '../../connect/connect-page/test/test-visitor.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { customerPath } from '../parts/customer-link.ts'
import { type ConsoleVisitor, readAll, signIn } from '../test/console-visitor.ts'

describe('Console: customers', () => {
  const HOSTILE = [
    '../../etc/passwd',
    '..',
    'a/b?identifier=x#y&z=%2F',
    '%2e%2e%2f+%00',
    `<img src=x onerror=alert(1)> "'&`,
    'שלום-לקוח',
    "o'hara*(1)!",
    '\u202egnp.exe',
    '🦊'.repeat(255),
  ]

  let t: TestContext
  let visitor: ConsoleVisitor
  let definitionId: string
  before(async () => {
    t = await testContext()
    definitionId = (await t.createDefinition({ name: 'Jira' })).integrationDefinitionId
    visitor = await signIn(t)
  })
  after(() => t.close())

  const connect = (accountIdentifier: string) =>
    t.createAccount(definitionId, { accountIdentifier })
  /** The links of a page to a customer. */
  const readLinks = (text: string) =>
    [...decodeEntities(text).matchAll(/href="(\/console\/customer\?[^"]*)"/g)].map(
      ([, href = '']) => href,
    )

  test('GET /console/customers: says in one sentence that there are none, and how to begin', async () => {
    const { status, visible } = await visitor.get('/console/customers')
    assert.equal(status, 200)
    assert.match(visible, /No customer has connected a tool yet/)
    assert.match(visible, /accountIdentifier/)
  })

  test('GET /console/customers: counts the connections of each customer, with what needs someone', async () => {
    await connect('customer-4')
    const broken = await connect('customer-41')
    await connect('customer-41')
    await t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set({ status: 'needs_reauth', status_reason: 'invalid_grant' })
        .where('account_id', '=', broken.integrationAccountId as 'acc_1')
        .execute(),
    )
    const page = await visitor.get('/console/customers')
    assert.match(page.visible, /customer-4 Active 1/)
    assert.match(page.visible, /customer-41 Needs reconnecting: 1 of 2 2/)
    assert.deepEqual(readLinks(page.text), [
      customerPath('customer-4'),
      customerPath('customer-41'),
    ])
  })

  test('GET /console/customers?q: finds identifiers by their beginning, and otherwise leads to exactly the one that was typed', async () => {
    const { visible } = await visitor.get('/console/customers?q=customer-41')
    assert.match(visible, /customer-41/)
    assert.doesNotMatch(visible, /customer-4 Active/)
    const none = await visitor.get('/console/customers?q=ustomer')
    assert.match(none.visible, /No customer with a connection/)
    assert.ok(readLinks(none.text).includes(customerPath('ustomer')))
  })

  test('GET /console/customer: shows connections, attempts, events and sessions of exactly this customer', async () => {
    expectCreated(
      await t.call('POST', '/v1/connect_session', { body: { accountIdentifier: 'customer-41' } }),
    )
    // Events are numbered a moment later, by timers: requests that follow one another at once would never let them run.
    const events = '/v1/event?accountIdentifier=customer-41&limit=3'
    while ((await t.call('GET', events)).body.length < 3) await sleep(20)
    const { title, visible, status } = await visitor.get(customerPath('customer-41'))
    assert.equal(status, 200)
    assert.equal(title, 'customer-41')
    assert.match(visible, /Connections 2 .*Needs reconnecting.*Active/)
    assert.match(visible, /The connection was made/)
    assert.match(visible, /account\.created/)
    assert.match(visible, /Sessions Show all .*Not opened/)
    const [, other = ''] =
      /Connections (\d+)/.exec((await visitor.get(customerPath('customer-4'))).visible) ?? []
    assert.equal(other, '1')
  })

  test('GET /console/customer: 200 for an identifier without anything, 404 without one and for one that cannot be', async () => {
    const { status, visible } = await visitor.get(customerPath('no one'))
    assert.equal(status, 200)
    assert.match(visible, /This customer has no connection/)
    assert.equal((await visitor.get('/console/customer')).status, 404)
    assert.equal((await visitor.get(customerPath('x'.repeat(256)))).status, 404)
  })

  test('Every link to a customer leads to that customer, whatever the identifier contains', async () => {
    for (const identifier of HOSTILE) await connect(identifier)
    const list = await visitor.get('/console/customers')
    assert.doesNotMatch(list.text, /<img src=x/)
    for (const identifier of HOSTILE) {
      const account = await connect(identifier)
      assert.ok(readLinks(list.text).includes(customerPath(identifier)), identifier)
      const page = await visitor.get(customerPath(identifier))
      assert.equal(page.status, 200, identifier)
      assert.doesNotMatch(page.text, /<img src=x/)
      assert.match(page.visible, /Connections 2 /)
      const ids = [...page.text.matchAll(/row-(acc_\w+)/g)].map(([, id]) => id)
      assert.ok(ids.includes(account.integrationAccountId), identifier)
      const connection = await visitor.get(`/console/connections/${account.integrationAccountId}`)
      assert.deepEqual(readLinks(connection.text), [customerPath(identifier)])
      for (const [, href = ''] of decodeEntities(page.text).matchAll(
        /href="(\/console\/(?:attempts|logs|links\/sessions)\?[^"]*)"/g,
      ))
        assert.equal((await visitor.get(href)).status, 200, href)
    }
  })

  test('POST /console/customer/share: shows the address of a connect page, and /portal that of a portal', async () => {
    const [identifier = ''] = HOSTILE
    await visitor.get(customerPath(identifier))
    const shared = await visitor.post(`/console/customer/share?${query(identifier)}`)
    assert.equal(shared.status, 201)
    assert.match(shared.visible, /\/connect\/cnt_/)
    const portal = await visitor.post(`/console/customer/portal?${query(identifier)}`)
    assert.match(portal.visible, /\/connect\/cnt_/)
    const sessions = await t.call(
      'GET',
      `/v1/connect_session?accountIdentifier=${encodeURIComponent(identifier)}`,
    )
    assert.deepEqual(sessions.body.map(({ mode }: { mode: string }) => mode).toSorted(), [
      'connect',
      'manage',
    ])
  })

  test('POST /console/customer/export: downloads JSON lines that end with the line end, and the audit trail records it', async () => {
    const [identifier = ''] = HOSTILE
    await visitor.get(customerPath(identifier))
    const { headers, text } = await visitor.post(`/console/customer/export?${query(identifier)}`)
    assert.equal(headers['content-length'], undefined, 'it is sent while it is made')
    assert.match(
      String(headers['content-disposition']),
      /^attachment; filename="customer-[\d-]+\.jsonl"$/,
    )
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(lines[0].accountIdentifier, identifier)
    assert.equal(lines.at(-1).type, 'end')
    const recorded = await selectAuditEntries(t.database.read)
      .select('via')
      .where('action', '=', 'customer.exported')
      .execute()
    assert.deepEqual(
      recorded.map(({ via }) => via),
      ['console'],
    )
  })

  test('POST /console/customer/erase: changes nothing without the identifier', async () => {
    await visitor.get(customerPath('customer-41'))
    for (const confirmation of ['', 'customer-4', 'erase']) {
      const path = `/console/customer/erase?${query('customer-41')}`
      assert.equal(
        (await visitor.post(path, { confirmation })).location,
        customerPath('customer-41'),
      )
    }
    assert.match((await visitor.get(customerPath('customer-41'))).visible, /Connections 2 /)
  })

  test('POST /console/customer/erase: shows the receipt, and the customer is found nowhere afterwards', async () => {
    const page = await visitor.get(customerPath('customer-41'))
    assert.match(page.visible, /2 connections: their tokens are revoked/)
    const path = `/console/customer/erase?${query('customer-41')}`
    const receipt = await visitor.post(path, { confirmation: 'customer-41' })
    assert.equal(receipt.status, 201)
    assert.match(receipt.visible, /Receipt .*Finished .*ers_\w+ .*Connections 2/)
    for (const path of [
      '/console/customers',
      '/console/connections',
      '/console/logs',
      '/console/attempts',
    ])
      assert.doesNotMatch((await visitor.get(path)).visible, /customer-41/, path)
    assert.match((await visitor.get(customerPath('customer-41'))).visible, /has no connection/)
  })

  test('POST /console/customer/erase: every hostile identifier can be typed as it is shown', async () => {
    for (const identifier of HOSTILE) {
      const page = await visitor.get(customerPath(identifier))
      const [shown = ''] = readAll(page, 'span').filter((text) => text.startsWith('Type “'))
      const confirmation = shown.slice('Type “'.length, shown.lastIndexOf('”'))
      const path = `/console/customer/erase?${query(identifier)}`
      assert.equal((await visitor.post(path, { confirmation })).status, 201, identifier)
    }
    const { visible } = await visitor.get('/console/customers')
    assert.match(visible, /customer-4 Active 1/)
    assert.doesNotMatch(visible, /onerror|exe/)
  })

  test('GET /console/customer: a viewer can export, and reads which role can share and erase', async () => {
    const viewer = await signIn(t, { role: 'viewer' })
    const { visible, text } = await viewer.get(customerPath('customer-4'))
    assert.match(visible, /It needs the role developer/)
    assert.match(visible, /It needs the role support/)
    assert.match(text, /action="\/console\/customer\/export/)
    assert.doesNotMatch(text, /action="\/console\/customer\/erase/)
  })

  function query(identifier: string): string {
    return customerPath(identifier).split('?')[1] ?? ''
  }
})
