import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { getFrame, getHostEvents, serveHostPage, waitForHostEvents } from './host-page.ts'
import { type HostSite, startHostSite } from './host-site.ts'
import { describeBrowser, launchBrowser, startSession, waitUntilTrue } from './launch-browser.ts'

let t: BrowserTestContext
let browser: Browser
let unlistedHost: HostSite

/** Opens the embedded page. Returns the session, which an attacker might know. */
async function open(page: Page): Promise<string> {
  const linkId = await t.link({ integrationDefinitionId: t.desk.id })
  await page.goto(serveHostPage(t.host, t.url, { linkId }))
  await page.click('#open')
  await waitForHostEvents(page, 'ready === 1')
  const src = (await page.locator('iframe.linchpin-frame').getAttribute('src')) ?? ''
  return new URLSearchParams(new URL(src).hash.slice(1)).get('session') ?? ''
}

const createMessage = (session: string, type: string, payload: unknown) =>
  JSON.stringify({ source: 'linchpin', v: 1, session, type, payload })
const getFrameLanguage = (page: Page) => getFrame(page).locator('html').getAttribute('lang')

describeBrowser('Messages between the page and its host', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
    unlistedHost = await startHostSite()
  })
  after(async () => {
    await unlistedHost?.close()
    await t?.close()
  })

  it('the frame accepts messages of its own host with its own session', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    const session = await open(page)
    const send = (data: string) =>
      page.evaluate(
        `document.querySelector('iframe.linchpin-frame').contentWindow.postMessage(${data}, '${t.url}')`,
      )
    for (const data of [
      createMessage('', 'init', { lang: 'de' }),
      createMessage(session.replace(/^./, 'x'), 'init', { lang: 'de' }),
      createMessage(session, 'init', { lang: 7 }),
      createMessage(session, 'toString', {}),
      JSON.stringify({ source: 'linchpin', session, type: 'init', payload: { lang: 'de' } }),
      'null',
      '"init"',
      '[]',
    ])
      await send(data)
    await page.waitForTimeout(500)
    assert.equal(await getFrameLanguage(page), 'en')
    await send(createMessage(session, 'init', { lang: 'de', theme: 'dark' }))
    await getFrame(page).locator('html[lang="de"][data-theme="dark"]').waitFor()
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

  it('both ignore messages from another origin, even with the right session', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    const session = await open(page)
    const forgedMessage = createMessage(session, 'success', {
      account: { integrationAccountId: 'acc_forged' },
    })
    const url = unlistedHost.serve(
      '/forge',
      `<!doctype html><script>
parent.postMessage(${forgedMessage}, '*')
parent.postMessage(${createMessage(session, 'exit', { reason: 'done', status: 'x' })}, '*')
parent.frames[0].postMessage(${createMessage(session, 'init', { lang: 'de' })}, '*')
parent.frames[0].postMessage({ messageType: 'SEND_INFO_TO_IFRAME', accountIdentifier: 'mallory' }, '*')
</script>`,
    )
    await page.evaluate(`{
      const frame = document.createElement('iframe')
      frame.src = '${url}'
      document.body.append(frame)
    }`)
    await waitUntilTrue(page, 'window.messages.some((one) => one.includes("acc_forged"))')
    await page.evaluate(`window.postMessage(${forgedMessage}, location.origin)`)
    await page.waitForTimeout(500)
    const { success, exit } = await getHostEvents(page)
    assert.deepEqual([success, exit], [[], []])
    assert.equal(await getFrameLanguage(page), 'en')
    assert.doesNotMatch(page.frames()[1]?.url() ?? '', /mallory/)
    assert.deepEqual(pageErrors, [])
    await context.close()
  })
})
