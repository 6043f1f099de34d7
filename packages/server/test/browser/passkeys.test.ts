import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { createSignInCode } from '../../src/console/test/console-visitor.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

let t: BrowserTestContext
let browser: Browser

interface VirtualAuthenticator {
  /** Whether the person's fingerprint is recognised from now on. */
  setVerified(isUserVerified: boolean): Promise<unknown>
}

/** An authenticator in the browser of a page, with a fingerprint that it recognises. */
async function addAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    setVerified: (isUserVerified) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

async function signInWithCode(page: Page): Promise<void> {
  const code = await createSignInCode(t)
  await page.goto(`${t.url}/console/open#${code}`)
  await page.waitForURL((url) => !url.pathname.endsWith('/open'))
}

describeBrowser('A passkey in the console', () => {
  before(async () => {
    if (!hasChromium()) return
    t = await startBrowserTestContext()
    browser = await launchBrowser()
  })
  after(() => t?.close())

  it('is added, signs in and confirms who the person is, without a code', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    await addAuthenticator(page)
    await signInWithCode(page)
    await page.goto(`${t.url}/console/settings/sign-in`)
    await page.getByLabel('Name of the new passkey').fill('Laptop')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('Passkey added').waitFor()
    await page.getByText('Laptop', { exact: true }).waitFor()
    await page.locator('main form[action="/console/sign-out"] button').click()
    await page.getByText('You are signed out.').waitFor()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL((url) => !url.pathname.startsWith('/console/open'))
    await page.goto(`${t.url}/console/settings/sign-in`)
    await page.getByText('Before you add another passkey, confirm').waitFor()
    await page.getByRole('link', { name: 'Confirm that it is you' }).click()
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await page.getByText('Confirmed for ten minutes').waitFor()
    assert.equal(new URL(page.url()).pathname, '/console/settings/sign-in')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('This device has a passkey of yours already.').waitFor()
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

  it('does not sign in someone whose fingerprint is not recognised, and the code still does', async () => {
    const { page, context } = await startSession(browser)
    const authenticator = await addAuthenticator(page)
    await authenticator.setVerified(false)
    await page.goto(`${t.url}/console/open`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('The browser returned no passkey.').waitFor()
    await page.getByText('Use a sign-in code instead').click()
    await page.getByLabel('Sign-in code').fill(await createSignInCode(t))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL((url) => !url.pathname.startsWith('/console/open'))
    await context.close()
  })

  it('is not offered without a script, which the page says; the code works', async () => {
    const { page, context } = await startSession(browser, { javaScriptEnabled: false })
    await page.goto(`${t.url}/console/open`)
    await page.getByText('Passkeys need a current browser with its scripts turned on').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0)
    await page.getByText('Use a sign-in code instead').click()
    await page.getByLabel('Sign-in code').fill(await createSignInCode(t))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL((url) => !url.pathname.startsWith('/console/open'))
    await context.close()
  })
})
