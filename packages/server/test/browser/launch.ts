import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** One real Chromium for a file of tests. `LINCHPIN_CHROMIUM` names another one. */
export async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.LINCHPIN_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** What a page did that nobody should see: errors, refused loads, requests to other places. */
export interface Watched {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors of scripts, and what the console calls an error. */
  readonly faults: string[]
  /** URLs that were asked for. */
  readonly requests: string[]
  /** URLs of documents that were loaded, into tabs and frames. */
  readonly documents: string[]
}

/** A fresh browser of a person, with a page in it. */
export async function newPerson(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Watched> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  context.setDefaultTimeout(10_000)
  const faults: string[] = []
  const requests: string[] = []
  context.on('weberror', (error) => faults.push(String(error.error())))
  context.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  const documents: string[] = []
  context.on('request', (request) => {
    requests.push(request.url())
    if (request.isNavigationRequest()) documents.push(request.url())
  })
  return { context, page: await context.newPage(), faults, requests, documents }
}
