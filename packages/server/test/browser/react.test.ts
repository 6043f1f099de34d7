import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { expectCreated } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { connectDesk, getFrame, getHostEvents, waitForHostEvents } from './host-page.ts'
import { describeBrowser, launchBrowser, startSession, waitUntilTrue } from './launch-browser.ts'
import { serveReactPage } from './react-page.ts'

describe('The client in React', () => {
  let t: BrowserTestContext
  let browser: Browser
  let linkId: string
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
    linkId = await t.link({ integrationDefinitionId: t.desk.id })
  })
  after(async () => {
    await t?.close()
  })

  const countFrames = (documents: readonly string[]) =>
    documents.filter((url) => url.startsWith(`${t.url}/link/frame/`)).length

  describeBrowser('useLink() in React 18 StrictMode', () => {
    const createPageCode = (extra = '') =>
      serveReactPage(t.host, {
        path: '/hook',
        imports: `import { useLink } from '@linchpin/client/react'`,
        body: `window.opens ??= new Set()
  const { open, ready, error } = useLink({
    baseURL: '${t.url}', linkId: window.later ? null : '${linkId}', ${extra}
    onReady: () => { told.ready += 1 },
    onSuccess: (account) => told.success.push({ ...account, count }),
    onError: (failure) => told.error.push(failure),
    onExit: (exit) => told.exit.push(exit),
  })
  window.opens.add(open)
  return h('div', null, h('button', { id: 'open', disabled: !ready, onClick: open }, 'Connect'), h('p', { id: 'error' }, error?.code ?? 'none'), h('p', { id: 'count' }, count))`,
      })

    it('opens, survives renders, and calls the latest callbacks', async () => {
      const { page: tab, context, documentRequests, pageErrors } = await startSession(browser)
      await tab.goto(await createPageCode())
      await tab.click('#open:not([disabled])')
      await waitForHostEvents(tab, 'ready === 1')
      await getFrame(tab)
        .getByLabel('Key of the desk', { exact: true })
        .fill('desk_canary_key_0123')
      // StrictMode mounts the first component twice.
      await tab.evaluate('window.opens.clear()')
      for (let times = 1; times <= 5; times += 1) {
        await tab.evaluate('window.rerender()')
        await tab.locator('#count', { hasText: String(times) }).waitFor()
      }
      await tab.evaluate('document.getElementById("open").click()')
      const key = getFrame(tab).getByLabel('Key of the desk', { exact: true })
      assert.equal(await key.inputValue(), 'desk_canary_key_0123')
      await connectDesk(tab, t.stubServer.url)
      assert.equal((await waitForHostEvents(tab, 'success.length === 1')).success[0]?.count, 5)
      await getFrame(tab).getByRole('button', { name: 'Done' }).click()
      await waitForHostEvents(tab, 'exit.length === 1')
      assert.equal(countFrames(documentRequests), 1)
      assert.equal(await tab.evaluate('window.opens.size'), 1)
      await tab.click('#open')
      await waitForHostEvents(tab, 'ready === 2')
      await tab.evaluate('window.unmount()')
      assert.equal(await tab.locator('iframe').count(), 0)
      assert.equal((await getHostEvents(tab)).exit.length, 1)
      assert.deepEqual(pageErrors, [])
      await context.close()
    })

    it('reports an error only if the page could not show it', async () => {
      const { page: tab, context } = await startSession(browser)
      await tab.goto(await createPageCode())
      await tab.click('#open:not([disabled])')
      await waitForHostEvents(tab, 'ready === 1')
      t.checkStub.result = { status: false, error: 'no', code: 'invalid_credentials' }
      const frame = getFrame(tab)
      await frame.getByLabel('Key of the desk', { exact: true }).fill('desk_canary_key_0123')
      await frame.locator('input[type="url"]').fill(t.stubServer.url)
      await frame.locator('form button[type="submit"]').click()
      const { error: shown } = await waitForHostEvents(tab, 'error.length === 1')
      assert.equal(shown[0]?.code, 'credentials_rejected')
      assert.equal(await tab.textContent('#error'), 'none')
      t.checkStub.result = { status: true }
      await tab.goto(await createPageCode(`...{ linkId: 'lnk_${'0'.repeat(32)}' },`))
      await tab.click('#open:not([disabled])')
      await waitForHostEvents(tab, 'error.length === 1')
      await tab.locator('#error', { hasText: 'unknownLink' }).waitFor()
      await context.close()
    })

    it('connects in the session of a token', async () => {
      const body = { linkId, accountIdentifier: 'customer-1' }
      const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
      const { page: tab, context } = await startSession(browser)
      const url = await serveReactPage(t.host, {
        path: '/session',
        imports: `import { useLink } from '@linchpin/client/react'`,
        body: `const { open, ready } = useLink({ baseURL: '${t.url}', token: '${session.token}', onSuccess: (account) => told.success.push(account) })
  return h('button', { id: 'open', disabled: !ready, onClick: open }, 'Connect')`,
      })
      await tab.goto(url)
      await tab.click('#open:not([disabled])')
      await connectDesk(tab, t.stubServer.url)
      const [account] = (await waitForHostEvents(tab, 'success.length === 1')).success
      assert.deepEqual(
        [account?.accountIdentifier, account?.connectSessionId],
        ['customer-1', session.connectSessionId],
      )
      await context.close()
    })

    it('does not close the dialog of another component on unmount', async () => {
      const { page: tab, context } = await startSession(browser)
      const url = await serveReactPage(t.host, {
        path: '/hooks',
        imports: `import { useLink } from '@linchpin/client/react'
function Opener({ name }) {
  const { open } = useLink({ baseURL: '${t.url}', linkId: '${linkId}', onReady: () => { window.told.ready += 1 }, onExit: (exit) => window.told.exit.push({ ...exit, name }) })
  window[name] = open
  return null
}`,
        body: `return h('div', null, h(Opener, { name: 'first' }), count === 0 ? h(Opener, { name: 'second' }) : h('p', { id: 'gone' }))`,
      })
      await tab.goto(url)
      await tab.evaluate('window.first()')
      await waitForHostEvents(tab, 'ready === 1')
      await tab.evaluate('window.second(), window.rerender()')
      await tab.waitForSelector('#gone', { state: 'attached' })
      assert.equal(await tab.locator('dialog').count(), 1)
      await tab.keyboard.press('Escape')
      assert.equal((await waitForHostEvents(tab, 'exit.length === 1')).exit[0]?.name, 'first')
      await context.close()
    })

    it('is not ready without a link', async () => {
      const { page: tab, context } = await startSession(browser)
      await tab.addInitScript('window.later = true')
      await tab.goto(await createPageCode())
      await tab.waitForSelector('#open[disabled]')
      await tab.evaluate('window.later = false, window.rerender()')
      await tab.waitForSelector('#open:not([disabled])')
      await context.close()
    })
  })

  describeBrowser('the unmodified @poozle/react-poozle-link 2.2.0', () => {
    const CDN = 'https://cdn.jsdelivr.net/gh/poozlehq/build-artifacts@main/link.js'

    it('is ready immediately, connects, and reports success and exit', async () => {
      const { page: tab, context, requests, documentRequests } = await startSession(browser)
      await tab.goto(
        await serveReactPage(t.host, {
          path: '/poozle',
          head: `<script src="${t.url}/link.js"></script><script type="text/plain" src="${CDN}"></script>`,
          imports: `import { usePoozleLink } from '@poozle/react-poozle-link'`,
          body: `const { open, isReady, error } = usePoozleLink({
    linkId: '${linkId}', baseURL: '${t.url}', accountIdentifier: 'user 1&x', redirectURL: '${t.host.origin}/back',
    onSuccess: (account) => told.success.push({ ...account, count }),
    onExit: () => told.exit.push({ count }),
    onValidationError: (errors) => told.error.push(...errors),
  })
  if (isReady) told.ready ||= performance.now()
  return h('div', null, h('button', { id: 'open', onClick: open }, 'Connect'), h('p', { id: 'count' }, count, String(error)))`,
        }),
      )
      assert.ok((await waitForHostEvents(tab, 'ready > 0')).ready < 3_000)
      await tab.click('#open')
      const frame = getFrame(tab)
      await frame.getByLabel('Key of the desk', { exact: true }).fill('desk_canary_key_0123')
      for (const count of ['1', '2', '3']) {
        await tab.evaluate('window.rerender()')
        await tab.locator('#count', { hasText: count }).waitFor()
      }
      assert.equal(
        await frame.getByLabel('Key of the desk', { exact: true }).inputValue(),
        'desk_canary_key_0123',
      )
      t.checkStub.result = { status: false, error: 'no', code: 'invalid_credentials' }
      await frame.locator('input[type="url"]').fill(t.stubServer.url)
      await frame.locator('form button[type="submit"]').click()
      const { error } = await waitForHostEvents(tab, 'error.length === 1')
      assert.equal(error[0]?.problem_type, 'credentials_rejected')
      assert.match(String(error[0]?.detail), /Desk/)
      t.checkStub.result = { status: true }
      await connectDesk(tab, t.stubServer.url)
      const { success } = await waitForHostEvents(tab, 'success.length === 1')
      assert.equal(success[0]?.accountIdentifier, 'user 1&x')
      await frame.getByRole('button', { name: 'Done' }).click()
      assert.equal((await waitForHostEvents(tab, 'exit.length === 1')).exit[0]?.count, 3)
      assert.deepEqual(
        requests.filter((url) => url.includes('jsdelivr')),
        [],
      )
      assert.equal(countFrames(documentRequests), 1)
      assert.doesNotMatch(await tab.evaluate<string>('window.messages.join()'), /canary/)
      await context.close()
    })

    it('keeps two hooks on one page separate', async () => {
      const { page: tab, context } = await startSession(browser)
      await tab.goto(
        await serveReactPage(t.host, {
          path: '/poozles',
          head: `<script src="${t.url}/link.js"></script><script type="text/plain" src="${CDN}"></script>`,
          imports: `import { usePoozleLink } from '@poozle/react-poozle-link'`,
          body: `const callbacks = (name) => ({
    onSuccess: (account) => told.success.push({ name, to: account.accountIdentifier }),
    onExit: () => told.exit.push({ name, count }),
  })
  const one = usePoozleLink({ linkId: '${linkId}', baseURL: '${t.url}', accountIdentifier: 'one', ...callbacks('one') })
  const none = usePoozleLink({ linkId: '${linkId}', baseURL: '${t.url}', ...callbacks('none') })
  return h('div', null, h('button', { id: 'one', onClick: one.open }), h('button', { id: 'none', onClick: none.open }), h('p', { id: 'count' }, count))`,
        }),
      )
      for (const [name, to] of [
        ['none', null],
        ['one', 'one'],
      ] as const) {
        await tab.locator(`#${name}`).dispatchEvent('click')
        await getFrame(tab).locator('main[data-state="form"]').waitFor()
        await tab.evaluate('window.rerender()')
        await connectDesk(tab, t.stubServer.url)
        await getFrame(tab).getByRole('button', { name: 'Done' }).click()
        const { success, exit } = await waitForHostEvents(tab, `exit.at(-1)?.name === '${name}'`)
        assert.deepEqual(success.at(-1), { name, to })
        assert.equal(exit.length, success.length)
      }
      await context.close()
    })

    it('works without our script, through its own messages', async () => {
      const { page: tab, context } = await startSession(browser)
      const frame = `${t.url}//link/frame/${linkId}/?accountIdentifier=user 1&x&redirectURL=${t.host.origin}/back`
      await tab.goto(
        t.host.serve(
          '/own',
          `<!doctype html><title>Host</title><script>
window.messages = []
addEventListener('message', ({ data, origin, source }) => {
  window.messages.push(data.messageType ?? data.type)
  if (data.messageType === 'LINKING_FLOW_READY_FOR_LINK_TOKEN') source.postMessage({ messageType: 'SEND_INFO_TO_IFRAME', linkId: '${linkId}', accountIdentifier: 'user 1&x', isLinkOpen: true }, '*')
})</script><iframe class="linchpin-frame" src="${frame}"></iframe>`,
        ),
      )
      await connectDesk(tab, t.stubServer.url)
      const inFrame = getFrame(tab)
      const account = await inFrame.locator('main').getAttribute('data-account')
      assert.equal(JSON.parse(account ?? '{}').accountIdentifier, 'user 1&x')
      await inFrame.getByRole('button', { name: 'Done' }).click()
      await waitUntilTrue(tab, `window.messages.includes('CLOSE_LINKING_FLOW')`)
      assert.deepEqual(await tab.evaluate('window.messages'), [
        'LINKING_FLOW_READY_FOR_LINK_TOKEN',
        'CLOSE_LINKING_FLOW',
      ])
      await context.close()
    })
  })
})
