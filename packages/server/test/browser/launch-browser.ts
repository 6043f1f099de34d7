import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import { hasChromium, startChromium } from './chromium.ts'

/** Describes tests in a real browser. Without one they are reported as skipped, or fail when CI=true. */
export function describeBrowser(title: string, define: () => void): void {
  describe(title, () => {
    // Before the hooks of the file: a service does not close while a page has a request.
    after(closeSessions)
    if (hasChromium()) return define()
    it('reports that Chromium was not found', (t) => {
      t.diagnostic('Chromium not found: skipping the tests in a real browser')
      assert.notEqual(process.env.CI, 'true', 'Chromium not found, and CI=true requires it')
    })
  })
}

async function closeSessions(): Promise<void> {
  const browser = await sharedBrowser
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? [])
}

/** Starting Chromium takes longer than most tests: the test files of a process share one. It ends with the process. */
let sharedBrowser: Promise<Browser> | undefined
after(async () => {
  const browser = await sharedBrowser
  if (browser === undefined) return
  const closed = Promise.withResolvers<void>()
  // It is killed with this process at the latest.
  const limit = setTimeout(closed.resolve, 20_000)
  browser.close().then(closed.resolve, closed.reject)
  await closed.promise
  clearTimeout(limit)
})

/** The one Chromium of this process. Each session has a context of its own and closes it. */
export function launchBrowser(): Promise<Browser> {
  sharedBrowser ??= startChromium()
  return sharedBrowser
}

/** Unexpected behavior of a page: errors, blocked loads and requests to other origins. */
export interface BrowserSession {
  readonly context: BrowserContext
  readonly page: Page
  /** Script errors and console errors. */
  readonly pageErrors: string[]
  /** Requested URLs. */
  readonly requests: string[]
  /** URLs of documents that were loaded, into tabs and frames. */
  readonly documentRequests: string[]
}

/** Opens a page in a new browser context. */
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

/**
 * Waits until an expression is true in the page. Playwright's `waitForFunction` evaluates a string within the page after
 * the first attempt, which the Content Security Policy of our pages forbids.
 */
export async function waitUntilTrue(page: Page | Frame, expression: string): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!(await page.evaluate<boolean>(`Boolean(${expression})`))) {
    assert.ok(performance.now() < deadline, `still false after 10 s: ${expression}`)
    await sleep(20)
  }
}
