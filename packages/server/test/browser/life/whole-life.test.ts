import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'puppeteer-core'
import type { AccountId } from '../../../src/accounts/accounts/account.ts'
import { type Receiver, startReceiver } from '../../../src/activity/webhooks/test/receiver.ts'
import { getMessages } from '../../../src/platform/i18n/language.ts'
import { changeAccountRow, readAccountRow } from '../../account-rows.ts'
import type { AnyBody } from '../../any-body.ts'
import { expectCreated, expectOk } from '../../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from '../browser-test-context.ts'
import { serveHostPage } from '../host-page.ts'
import { describeInBrowsers } from './browsers.ts'
import { type ChatTool, defineChat } from './chat-tool.ts'
import { createTab, getConnectFrame, getWindow, type Tab, until } from './tab.ts'

const { portal } = getMessages('en')
const SUBMIT = 'main form button[type="submit"]'

describeInBrowsers('The whole life of a connection', (launch) => {
  let t: BrowserTestContext
  let chat: ChatTool
  let receiver: Receiver
  let browser: Browser
  let page: Page
  let tab: Tab
  let linkId: string
  before(async () => {
    t = await startBrowserTestContext()
    chat = await defineChat(t)
    receiver = await startReceiver()
    const body = { url: receiver.url, types: ['account.*'] }
    expectCreated(await t.call('POST', '/v1/webhook_endpoint', { body }))
    linkId = await t.link({ integrationDefinitionIds: [t.desk.id, chat.id] })
    browser = await launch()
    page = await browser.newPage()
    tab = createTab(() => page)
  })
  after(async () => {
    await browser?.close()
    await receiver?.close()
    await t?.close()
  })

  const createSession = async (body: AnyBody = {}) => {
    const customer = body.integrationAccountId ? {} : { accountIdentifier: 'customer-1' }
    return expectCreated(
      await t.call('POST', '/v1/connect_session', { body: { linkId, ...customer, ...body } }),
    )
  }
  /** Opens a session as a page, and presses the button that binds it to this browser, unless the form of its only tool does that. */
  const press = async ({ url }: AnyBody, ...states: string[]) => {
    await page.goto(url)
    if ((await page.$('main[data-state="sessionStart"]')) !== null) await tab.click(SUBMIT)
    await tab.waitForState(...states)
  }
  const allow = async (opener: Tab) => {
    await opener.click('form[data-form="sign-in"] button[type="submit"]')
    await getWindow(browser, t.provider.origin).click('#allow')
  }
  const openPortal = async () => press(await createSession({ mode: 'manage' }), 'portal')
  const getAccount = async (id: string) =>
    expectOk(await t.call('GET', `/v1/integration_account/${id}`))
  const readConnected = async () =>
    JSON.parse((await page.$eval('main', (main) => main.getAttribute('data-account'))) ?? '{}')
      .integrationAccountId
  const receiveEvent = (type: string, subject: string): Promise<AnyBody> =>
    until(`${type} of ${subject}`, async () => {
      const events: AnyBody[] = receiver.received.map(({ event }) => event)
      const value = events.find((event) => event.type === type && event.subject === subject)
      return value === undefined ? undefined : { value }
    })

  it('connect, break, event, reconnect by a session, disconnect in the portal', async (test) => {
    const startedAt = performance.now()
    const deskId = await connectWithForm()
    const chatId = await connectInHostPage()
    assert.notEqual(deskId, chatId)

    await breakConnection(chatId)
    await openPortal()
    await tab.waitForText(String(portal.needsReauth))
    assert.ok((await tab.text()).includes(String(portal.active)), 'the other tool works')

    await reconnect(chatId)
    await openPortal()
    await tab.waitForText(String(portal.active))
    assert.ok(!(await tab.text()).includes(String(portal.needsReauth)))

    await disconnect(chatId)
    assert.equal((await getAccount(deskId)).status, 'active')
    const types = receiver.received.map(({ event }) => event as AnyBody)
    const typesOf = (id: string) =>
      types.filter(({ subject }) => subject === id).map(({ type }) => type)
    assert.deepEqual(typesOf(deskId), ['account.created'])
    assert.deepEqual(typesOf(chatId), [
      ...['account.created', 'account.needs_reauth'],
      ...['account.reconnected', 'account.deleted'],
    ])
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10
    test.diagnostic(`${await browser.version()}: ${seconds} s`)
  })

  /** The first tool, with a key, on a page of its own. */
  async function connectWithForm(): Promise<string> {
    await press(await createSession(), 'picker')
    await tab.click(`a[data-key="${t.desk.key}"]`)
    await tab.waitForState('form')
    await tab.fill('[name="field.api_key"]', 'desk_canary_key_0123')
    await tab.fill('[name="field.base_url"]', t.stubServer.url)
    await tab.click(SUBMIT)
    await tab.waitForState('connected')
    const id = await readConnected()
    assert.equal((await receiveEvent('account.created', id)).accountIdentifier, 'customer-1')
    return id
  }

  /** The second tool, by signing in, inside the product. */
  async function connectInHostPage(): Promise<string> {
    const { token, connectSessionId } = await createSession()
    await page.goto(serveHostPage(t.host, t.url, { token }))
    const frame = getConnectFrame(page)
    await tab.click('#open')
    await until('ready', async () =>
      (await page.evaluate('window.told.ready')) === 1 ? { value: undefined } : undefined,
    )
    await frame.waitForState('picker')
    await frame.click(`a[data-key="${chat.key}"]`)
    await frame.waitForState('signIn')
    await allow(frame)
    await frame.waitForState('connected')
    const [account] = await until('success of the host', async () => {
      const value: AnyBody[] = JSON.parse(
        await page.evaluate('JSON.stringify(window.told.success)').then(String),
      )
      return value.length === 0 ? undefined : { value }
    })
    assert.equal(account.connectSessionId, connectSessionId)
    await receiveEvent('account.created', account.integrationAccountId)
    const { identity_id } = await readAccountRow(t.database, account.integrationAccountId)
    assert.equal(identity_id, 'alice', 'who signed in is stored')
    return account.integrationAccountId
  }

  /** The provider refuses the tokens at the next refresh. */
  async function breakConnection(id: string): Promise<void> {
    chat.endGrants()
    await changeAccountRow(t.database, id as AccountId, {
      token_expires_at: Date.now() - 1,
      refresh_at: 1,
    })
    const read = await t.call('GET', `/v1/integration_account/${id}/credentials`)
    assert.equal(read.body.error, 'needs_reauth', read.text)
    const event = await receiveEvent('account.needs_reauth', id)
    assert.deepEqual(
      [event.accountIdentifier, event.data.reason, event.data.previous.status],
      ['customer-1', 'invalid_grant', 'active'],
    )
  }

  /** What the product does with the event: a session that names the account. */
  async function reconnect(id: string): Promise<void> {
    await press(await createSession({ integrationAccountId: id }), 'signIn')
    await allow(tab)
    await tab.waitForState('connected')
    const event = await receiveEvent('account.reconnected', id)
    assert.equal(event.data.identityChanged, false)
    assert.equal((await getAccount(id)).status, 'active')
    const path = `/v1/integration_account/${id}/credentials`
    const { config } = expectOk(await t.call('GET', path))
    assert.equal(config.access_token, chat.tokens().access)
  }

  /** Asks once; the provider revokes the grant, and the page says so. */
  async function disconnect(id: string): Promise<void> {
    assert.equal(chat.revoked.length, 0)
    await tab.click(`.account:has(a[href*="disconnect=${id}"]) .menu summary`)
    await tab.click(`a[href*="disconnect=${id}"]`)
    await tab.waitForState('disconnect')
    assert.equal((await getAccount(id)).status, 'active')
    await tab.click(SUBMIT)
    await tab.waitForState('disconnected')
    const text = await tab.text()
    assert.ok(text.includes(String(portal.revoked({ tool: 'Chat' }))), text)
    assert.ok(chat.revoked.includes(chat.tokens().refresh), chat.revoked.join())
    assert.equal((await getAccount(id)).status, 'deleted')
    await receiveEvent('account.deleted', id)
    await tab.click('main a.button')
    await tab.waitForState('portal')
    assert.equal(await page.$(`a[href*="disconnect=${id}"]`), null)
  }
})
