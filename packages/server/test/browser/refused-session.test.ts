import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { getMessages } from '../../src/platform/i18n/language.ts'
import { expectCreated, expectOk } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { getFrame, waitForHostEvents } from './host-page.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'
import { serveReactPage } from './react-page.ts'

const title = String(getMessages('en').states.sessionRefused({ workspace: '' }).title)

let t: BrowserTestContext
let browser: Browser

describeBrowser('useLink() with a connect session that cannot be used', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  after(async () => {
    await t?.close()
  })

  const open = async (token: string) => {
    const { page, context } = await startSession(browser)
    const url = await serveReactPage(t.host, {
      path: '/refused',
      imports: `import { useLink } from '@linchpin/client/react'`,
      body: `const { open, ready, error } = useLink({ baseURL: '${t.url}', token: '${token}', onError: (failure) => told.error.push(failure), onExit: (exit) => told.exit.push(exit) })
  return h('div', null, h('button', { id: 'open', disabled: !ready, onClick: open }, 'Connect'), h('p', { id: 'error' }, error?.code ?? 'none'))`,
    })
    await page.goto(url)
    await page.click('#open:not([disabled])')
    return { page, context }
  }

  it('an unknown token: the customer reads to start again, and the error never contains the token', async () => {
    const token = `cnt_${'canary'.repeat(5).slice(0, 27)}`
    const { page, context } = await open(token)
    const { error } = await waitForHostEvents(page, 'error.length === 1')
    await page.locator('#error', { hasText: 'sessionRefused' }).waitFor()
    assert.deepEqual([error[0]?.code, error[0]?.retryable], ['sessionRefused', false])
    assert.ok(!JSON.stringify(error).includes(token), JSON.stringify(error))
    assert.match(String(error[0]?.displayMessage), new RegExp(title))
    assert.equal(await page.locator('.linchpin-told p').textContent(), error[0]?.displayMessage)
    await page.keyboard.press('Escape')
    await waitForHostEvents(page, 'exit.length === 1')
    await context.close()
  })

  it('a revoked session: the page says it itself, and `error` stays null', async () => {
    const linkId = await t.link({ integrationDefinitionId: t.desk.id })
    const body = { linkId, accountIdentifier: 'customer-1' }
    const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    expectOk(await t.call('DELETE', `/v1/connect_session/${session.connectSessionId}`))
    const { page, context } = await open(session.token)
    const { error } = await waitForHostEvents(page, 'error.length === 1')
    await getFrame(page).getByRole('heading', { name: 'Acme has closed this link' }).waitFor()
    assert.deepEqual([error[0]?.code, error[0]?.retryable], ['sessionRefused', false])
    assert.equal(await page.locator('#error').textContent(), 'none')
    await context.close()
  })
})
