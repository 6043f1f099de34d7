import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { frameOf, serveHostPage, told, untilTold } from './embedding.ts'
import { type HostSite, startHost } from './host.ts'
import { describeBrowser, hasChromium, launch, newPerson } from './launch.ts'
import { type BrowserWorld, startBrowserWorld } from './world.ts'

let t: BrowserWorld
let browser: Browser
let stranger: HostSite
before(async () => {
  if (!hasChromium()) return
  t = await startBrowserWorld()
  browser = await launch()
  stranger = await startHost()
})
after(async () => {
  await browser?.close()
  await stranger?.close()
  await t?.close()
})

/** Opens the page on the host's; answers the session, which a stranger should not know but might. */
async function open(page: Page): Promise<string> {
  const linkId = await t.link({ integrationDefinitionId: t.desk.id })
  await page.goto(serveHostPage(t.host, t.url, { linkId }))
  await page.click('#open')
  await untilTold(page, 'ready === 1')
  const src = (await page.locator('iframe.linchpin-frame').getAttribute('src')) ?? ''
  return new URLSearchParams(new URL(src).hash.slice(1)).get('session') ?? ''
}

const message = (session: string, type: string, payload: unknown) =>
  JSON.stringify({ source: 'linchpin', v: 1, session, type, payload })
const langOf = (page: Page) => frameOf(page).locator('html').getAttribute('lang')

describeBrowser('messages between the page and its host', () => {
  it('are heard by the frame from its own host, with its own session', async () => {
    const { page, context, faults } = await newPerson(browser)
    const session = await open(page)
    const send = (data: string) =>
      page.evaluate(
        `document.querySelector('iframe.linchpin-frame').contentWindow.postMessage(${data}, '${t.url}')`,
      )
    for (const data of [
      message('', 'init', { lang: 'de' }),
      message(session.replace(/^./, 'x'), 'init', { lang: 'de' }),
      message(session, 'init', { lang: 7 }),
      message(session, 'toString', {}),
      JSON.stringify({ source: 'linchpin', session, type: 'init', payload: { lang: 'de' } }),
      'null',
      '"init"',
      '[]',
    ])
      await send(data)
    await page.waitForTimeout(500)
    assert.equal(await langOf(page), 'en')
    await send(message(session, 'init', { lang: 'de', theme: 'dark' }))
    await frameOf(page).locator('html[lang="de"][data-theme="dark"]').waitFor()
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('are passed over by both when a stranger sends them, who even knows the session', async () => {
    const { page, context, faults } = await newPerson(browser)
    const session = await open(page)
    const forged = message(session, 'success', { account: { integrationAccountId: 'acc_forged' } })
    const url = stranger.serve(
      '/forge',
      `<!doctype html><script>
parent.postMessage(${forged}, '*')
parent.postMessage(${message(session, 'exit', { reason: 'done', status: 'x' })}, '*')
parent.frames[0].postMessage(${message(session, 'init', { lang: 'de' })}, '*')
parent.frames[0].postMessage({ messageType: 'SEND_INFO_TO_IFRAME', accountIdentifier: 'mallory' }, '*')
</script>`,
    )
    await page.evaluate(`{
      const frame = document.createElement('iframe')
      frame.src = '${url}'
      document.body.append(frame)
    }`)
    await page.waitForFunction('window.messages.some((one) => one.includes("acc_forged"))')
    await page.evaluate(`window.postMessage(${forged}, location.origin)`)
    await page.waitForTimeout(500)
    const { success, exit } = await told(page)
    assert.deepEqual([success, exit], [[], []])
    assert.equal(await langOf(page), 'en')
    assert.doesNotMatch(page.frames()[1]?.url() ?? '', /mallory/)
    assert.deepEqual(faults, [])
    await context.close()
  })
})
