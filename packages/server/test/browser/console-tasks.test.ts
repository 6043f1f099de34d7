import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it, type TestContext as Test } from 'node:test'
import type { Browser } from 'puppeteer-core'
import type { AccountId } from '../../src/accounts/accounts/account.ts'
import { createAuditChainStore } from '../../src/activity/audit/audit-chain-store.ts'
import { type Receiver, startReceiver } from '../../src/activity/webhooks/test/receiver.ts'
import { changeAccountRow } from '../account-rows.ts'
import { runCli } from '../main-process.ts'
import { buildVersion, createSmallCatalogue } from '../small-catalogue.ts'
import { expectCreated, expectOk } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import {
  type ConsoleVisit,
  confirmPerson,
  createConsoleVisit,
  visitConsole,
  waitForToast,
} from './console-visit.ts'
import { describeInBrowsers } from './life/browsers.ts'
import { createTab, until } from './life/tab.ts'

const SUBMIT = 'main form button[type="submit"]'

describeInBrowsers('The tasks of a team in the console', (launch) => {
  let t: BrowserTestContext
  let receiver: Receiver
  let browser: Browser
  let visit: ConsoleVisit
  /** What the receiver of webhooks responds. */
  let receiverStatus = 500
  before(async () => {
    const versions = [
      await buildVersion('kiosk', '1.0.0'),
      await buildVersion('kiosk', '1.1.0', { path: '/new', fields: "region: text('Region')" }),
    ]
    t = await startBrowserTestContext({ catalogue: await createSmallCatalogue(versions) })
    t.stubServer.serve('/new', (_request, response) => response.writeHead(401).end('{}'))
    receiver = await startReceiver((response) =>
      response.writeHead(receiverStatus).end('The database of the receiver is down'),
    )
    browser = await launch()
    visit = await visitConsole(t, browser.defaultBrowserContext())
  })
  after(async () => {
    await browser?.close()
    await receiver?.close()
    await t?.close()
  })

  const connectDesk = async (accountIdentifier: string): Promise<string> => {
    t.checkStub.result = { status: true }
    const { integrationAccountId } = await t.createAccount(t.desk.id, {
      accountIdentifier,
      config: { api_key: 'desk_live_canary_0123', base_url: t.stubServer.url, mode: 'told' },
    })
    return integrationAccountId
  }
  const rejectCredentials = (id: string) =>
    changeAccountRow(t.database, id as AccountId, {
      status: 'needs_reauth',
      status_reason: 'credentials_rejected',
    })
  /** A customer in a browser of their own. */
  const openAsCustomer = async (url: string) => {
    const context = await browser.createBrowserContext()
    const page = await context.newPage({ type: 'window' })
    const tab = createTab(() => page)
    await page.goto(url)
    if ((await page.$('main[data-state="sessionStart"]')) !== null) await tab.click(SUBMIT)
    return { context, tab }
  }
  const report = (test: Test) => test.diagnostic(`${visit.countClicks()} clicks`)

  it('task 3: sends a reconnect page with 2 clicks, and the open page says Active after the customer has reconnected', async (test) => {
    const id = await connectDesk('customer-3')
    await rejectCredentials(id)
    await visit.open(`/connections/${id}`)
    visit.startTask(2)
    await visit.waitForText('Needs reconnecting since')
    await visit.click(`form[action$="/share"] button`)
    await visit.waitForText('Send this address')
    assert.ok(await visit.page.$('dialog:modal svg.qr'))
    const url = await visit.page.$eval('dialog .snippet code', (code) => code.textContent)
    report(test)

    const customer = await openAsCustomer(url ?? '')
    await customer.tab.waitForState('form')
    await customer.tab.fill('[name="field.api_key"]', 'desk_live_canary_4567')
    await customer.tab.click(SUBMIT)
    await customer.tab.waitForState('connected')
    const connectedAt = performance.now()
    await until('Active on the open page', async () =>
      (await visit.page.$('.facts .status.good')) ? { value: undefined } : undefined,
    )
    test.diagnostic(`Active after ${Math.round(performance.now() - connectedAt)} ms`)
    assert.equal(await visit.page.$('.banner'), null)
    await customer.context.close()
  })

  it('task 4: an identifier leads to the code, sentence, provider status and request ID of a failed attempt, with at most 3 clicks', async (test) => {
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Jira' })
    for (const accountIdentifier of ['customer-4', 'customer-4', 'customer-40']) {
      const body = {
        integrationDefinitionId,
        accountIdentifier,
        authType: 'Api Key',
        integrationAccountName: 'Jira',
        config: { api_key: 'wrong', base_url: t.stubServer.url },
      }
      const { status } = await t.call('POST', '/v1/integration_account', { body })
      assert.equal(status, 400)
    }
    const [attempt] = expectOk(await t.call('GET', '/v1/attempt?accountIdentifier=customer-4'))
    await visit.open()
    visit.startTask(3)
    await visit.click('.sections a[href="/console/attempts"]')
    await visit.waitForTitle('Attempts')
    await visit.fill('input[name=customer]', 'customer-4')
    await visit.waitForText('Customer: customer-4')
    await visit.click('.disclosures summary')
    await visit.waitForText(attempt.requestId)
    const text = await visit.text()
    assert.match(text, /credentials_rejected/)
    assert.match(text, /The provider (?:rejected|rejects|did not accept)/i)
    assert.match(text, /HTTP 401/)
    report(test)
  })

  it('task 8: Check now says whether the key works, and the timeline has it', async (test) => {
    const id = await connectDesk('customer-9')
    await visit.open(`/connections/${id}`)
    visit.startTask(1)
    await visit.waitForTitle('Desk')
    await visit.click('form[action$="/check"] button')
    await waitForToast(visit, 'the credentials work')
    // Under the pointer it stays, however long the next steps take.
    await visit.page.hover('.toast')
    const body = { integrationAccountName: 'Renamed meanwhile' }
    expectOk(await t.call('POST', `/v1/integration_account/${id}`, { body }))
    await visit.waitForText('Renamed meanwhile')
    await waitForToast(visit, 'the credentials work')
    const entries = await visit.page.$$eval('.timeline li', (all) => all.map((li) => li.innerText))
    assert.ok(entries.some((entry) => entry.startsWith('Checked')))
    const { checkedAt } = expectOk(await t.call('GET', `/v1/integration_account/${id}/health`))
    assert.ok(checkedAt !== null)
    report(test)
  })

  it('task 8: a press that follows an event within moments is not lost to the refresh', async () => {
    const id = await connectDesk('customer-9')
    const { identifier } = await visit.page.evaluateOnNewDocument(`
      window.EventSource = class extends EventSource {
        constructor(path) {
          super(path)
          window.live = this
        }
      }`)
    await visit.open(`/connections/${id}`)
    await visit.page.removeScriptToEvaluateOnNewDocument(identifier)
    await visit.waitForTitle('Desk')
    await visit.page.waitForFunction('window.live?.onmessage')
    // Turbo's own refresh waits 150 ms, and would abort what was sent just before.
    await visit.page.evaluate(`
      window.live.onmessage()
      setTimeout(() => document.querySelector('form[action$="/check"] button').click(), 140)`)
    await waitForToast(visit, 'the credentials work')
  })

  it('task 10: a connection leads to the response to its event and to Replay, with 4 clicks', async (test) => {
    receiverStatus = 500
    const body = { url: receiver.url, types: ['account.needs_reauth'] }
    const endpoint = expectCreated(await t.call('POST', '/v1/webhook_endpoint', { body }))
    let providerStatus = 200
    const address = t.stubServer.serve('/ten/check', (_request, response) =>
      response.writeHead(providerStatus).end(),
    )
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Tracker' })
    const { integrationAccountId: id } = await t.createAccount(integrationDefinitionId, {
      accountIdentifier: 'customer-10',
      config: { api_key: 'key', base_url: address.replace('/check', '') },
    })
    providerStatus = 401
    // The first rejection changes no status, and an account is checked at most once in ten seconds.
    await until('the second rejection', async () => {
      const { body: checked } = await t.call('POST', `/v1/integration_account/${id}/check`)
      return checked.account?.status === 'needs_reauth' ? { value: undefined } : undefined
    })
    const deliveries = `/v1/webhook_endpoint/${endpoint.webhookEndpointId}/delivery`
    await until('the response to the event', async () =>
      receiver.received.length > 0 ? { value: undefined } : undefined,
    )
    receiverStatus = 200
    await until('the next attempt', async () => {
      const [delivery] = expectOk(await t.call('GET', deliveries))
      return delivery.state === 'delivered' ? { value: undefined } : undefined
    })
    const before = receiver.received.length
    await visit.open(`/connections/${id}`)
    visit.startTask(4)
    await visit.click(`main a[href*="view=events"]`)
    await visit.waitForTitle('Logs')
    await visit.waitForText('account.needs_reauth')
    await visit.click('main tbody tr:first-child a, main [role=row] a')
    await visit.waitForTitle('account.needs_reauth')
    await visit.click('main a[href*="/deliveries/"]')
    await visit.waitForText('The database of the receiver is down')
    assert.match(await visit.text(), /HTTP 500/)
    await visit.click('form[action$="/replay"] button')
    await until('the replay', async () =>
      receiver.received.length > before ? { value: undefined } : undefined,
    )
    report(test)
  })

  it('task 11: shows what an upgrade changes and breaks before the button, and rolls back with 2 clicks', async (test) => {
    const definition = '/v1/integration_definition/kiosk'
    expectOk(await t.call('POST', definition, { body: { version: '1.0.0' } }))
    const { integrationAccountId } = await t.createAccount('kiosk', {
      accountIdentifier: 'customer-11',
      config: { api_key: 'key', base_url: t.stubServer.url },
    })
    const getVersion = async () => expectOk(await t.call('GET', definition)).version
    await visit.open('/integrations/kiosk')
    visit.startTask(4)
    await visit.click('main a[href$="/upgrade"]')
    await visit.waitForTitle('Versions of Acme kiosk')
    await visit.click('form[action$="/preview"] button')
    await visit.waitForText('Upgrade to 1.1.0')
    await visit.waitForText('1 connection would stop working')
    const text = await visit.text()
    assert.match(text, /1\.0\.0 → 1\.1\.0/)
    assert.match(text, /region[\s\S]*Added/)
    assert.ok(text.includes(integrationAccountId))
    assert.equal(await getVersion(), '1.0.0')
    await visit.click('#apply summary')
    await visit.click('#apply form button')
    await until('version 1.1.0', async () =>
      (await getVersion()) === '1.1.0' ? { value: undefined } : undefined,
    )
    report(test)
    await visit.waitForText('See what another version would change')
    visit.startTask(2)
    await visit.click('#rollback summary')
    await visit.click('#rollback form button')
    await until('version 1.0.0', async () =>
      (await getVersion()) === '1.0.0' ? { value: undefined } : undefined,
    )
    report(test)
  })

  it('tasks 12 and 13: a colleague joins, repairs and cannot disconnect; removed, they are signed out with the next request', async (test) => {
    const id = await connectDesk('customer-12')
    await confirmPerson(t, visit)
    await visit.open('/settings/members')
    visit.startTask(2)
    await visit.click('main a[href$="/members/new"]')
    await visit.waitForTitle('Invite a person')
    await visit.fill('input[name=email]', 'sam@example.com')
    await visit.click('main form[action$="/members/new"] button')
    await visit.waitForTitle('sam@example.com is invited')
    report(test)
    const invitation = await visit.page.$eval('main .snippet code', (code) => code.textContent)

    const context = await browser.createBrowserContext()
    const colleague = createConsoleVisit(t, await context.newPage({ type: 'window' }))
    await colleague.page.goto(invitation ?? '')
    await colleague.fill('input[name=name]', 'Sam')
    await colleague.click('main button.primary')
    await until('the console of the colleague', async () =>
      new URL(colleague.page.url()).pathname === '/console/settings/sign-in'
        ? { value: undefined }
        : undefined,
    )
    await colleague.open(`/connections/${id}`)
    await colleague.click('form[action$="/check"] button')
    await waitForToast(colleague, 'the credentials work')
    await colleague.click('form[action$="/share"] button')
    await colleague.waitForText('Send this address')
    await colleague.open(`/connections/${id}`)
    const [disabled] = await colleague.page.$$('main .buttons > button[disabled]')
    assert.match(
      (await disabled?.evaluate((button) => button.title)) ?? '',
      /needs the role developer/,
    )
    const path = `/console/connections/${id}/disconnect`
    assert.equal((await colleague.postForm('main form[method=post]', path)).status, 403)
    assert.equal(expectOk(await t.call('GET', `/v1/integration_account/${id}`)).status, 'active')

    await visit.open('/settings/members')
    visit.startTask(3)
    await visit.click('main a[href*="/members/mbr_"] ::-p-text(Sam)')
    await visit.waitForTitle('Sam')
    await visit.click('#remove summary')
    await visit.click('#remove form button')
    await visit.waitForTitle('Settings')
    report(test)
    await colleague.open('/connections')
    assert.equal(new URL(colleague.page.url()).pathname, '/console/open')
    await context.close()
  })

  it('task 15: the audit trail says who has read credentials, from where and in which request; its export can be verified', async (test) => {
    const id = await connectDesk('customer-15')
    const token = await t.createToken({
      name: 'Nightly export',
      scopes: ['read', 'credentials:read'],
    })
    const response = await fetch(`${t.url}/api/v1/integration_account/${id}/credentials`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(response.status, 200)
    const requestId = response.headers.get('x-request-id') ?? ''
    const chain = createAuditChainStore(t.database)
    await until('the chain', async () =>
      (await chain.listUnchained(10)).length === 0 ? { value: undefined } : undefined,
    )
    await confirmPerson(t, visit)
    await visit.open()
    visit.startTask(4)
    await visit.click('.sections a[href="/console/audit"]')
    await visit.waitForTitle('Audit')
    await visit.click('.filter-panel summary')
    await visit.fill('input[name=action]', 'account.credentials_read')
    await visit.click('.filter-panel button')
    await visit.waitForText('Action: account.credentials_read')
    await visit.click('.entries summary')
    await visit.waitForText(requestId)
    const entry = await visit.page.$eval('.entries details', (details) => details.innerText)
    for (const text of ['owner@localhost', '127.0.0.1', requestId, 'Person', id])
      assert.ok(entry.includes(text), `${text} in ${entry}`)
    report(test)
    await visit.open('/audit')
    const path = '/console/audit/export'
    const { text } = await visit.postForm(`form[action^="${path}"]`, path)
    assert.equal(await verify(text), 0)
  })

  /** Returns the exit status of `linchpin audit verify`. */
  const verify = async (exported: string): Promise<number | null> => {
    const folder = await mkdtemp(join(tmpdir(), 'linchpin-task-'))
    const file = join(folder, 'export.jsonl')
    await writeFile(file, exported)
    const { code, stdout } = await runCli(['audit', 'verify', file], {})
    await rm(folder, { recursive: true })
    assert.match(stdout, /nothing was changed/)
    return code
  }
})
