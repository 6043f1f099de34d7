import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** Whether there is a Chromium on this machine. `LINCHPIN_CHROMIUM` names another one. */
export function hasChromium(): boolean {
  return existsSync(CHROMIUM)
}

const CHROMIUM = process.env.LINCHPIN_CHROMIUM ?? '/usr/bin/chromium'

/** Tests in a real browser. Without one a test says that they are left out, or fails where CI=true. */
export function describeBrowser(title: string, define: () => void): void {
  describe(title, () => {
    if (hasChromium()) return define()
    it('says that Chromium was not found', (t) => {
      t.diagnostic('Chromium not found: tests in a real browser are left out')
      assert.notEqual(process.env.CI, 'true', 'Chromium not found, and CI=true requires it')
    })
  })
}

/** Starting Chromium takes longer than most tests: the test files of a process share one. It ends with the process. */
let sharedBrowser: Promise<Browser> | undefined
after(async () => (await sharedBrowser)?.close())

/** The one Chromium of this process. Each session has a context of its own and closes it. */
export function launchBrowser(): Promise<Browser> {
  sharedBrowser ??= chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  return sharedBrowser
}

/** What a page did that nobody should see: errors, refused loads, requests to other places. */
export interface BrowserSession {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors of scripts, and what the console calls an error. */
  readonly pageErrors: string[]
  /** URLs that were asked for. */
  readonly requests: string[]
  /** URLs of documents that were loaded, into tabs and frames. */
  readonly documentRequests: string[]
}

/** A fresh browser of a person, with a page in it. */
export async function startSession(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<BrowserSession> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  context.setDefaultTimeout(10_000)
  const pageErrors: string[] = []
  const requests: string[] = []
  context.on('weberror', (error) => pageErrors.push(String(error.error())))
  context.on('console', (message) => {
    if (message.type() === 'error') pageErrors.push(message.text())
  })
  const documentRequests: string[] = []
  context.on('request', (request) => {
    requests.push(request.url())
    if (request.isNavigationRequest()) documentRequests.push(request.url())
  })
  return { context, page: await context.newPage(), pageErrors, requests, documentRequests }
}
