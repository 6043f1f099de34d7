import assert from 'node:assert/strict'
import type { BrowserContext, HTTPResponse, Page } from 'puppeteer-core'
import { createSignInCode } from '../../src/console/test/console-visitor.ts'
import type { BrowserTestContext } from './browser-test-context.ts'
import { createTab, type Tab, until } from './life/tab.ts'

/** A person in the console, in any browser, whose clicks are counted. */
export interface ConsoleVisit extends Tab {
  readonly page: Page
  /** Opens a path below `/console`, which is no click. */
  open(path?: string): Promise<HTTPResponse | null>
  /** Waits until the page has this title. */
  waitForTitle(title: string): Promise<void>
  /** Presses the mouse: more often than the task allows, it fails. */
  click(selector: string): Promise<void>
  /** The same in another window or frame. */
  clickIn(tab: Tab, selector: string): Promise<void>
  /** Types into the palette, and waits until its first result has this text. */
  search(text: string): Promise<void>
  /** Posts the fields of a form to a path, with the confirmation of a disconnection, as a script of the page would. */
  postForm(selector: string, path: string): Promise<{ status: number; text: string }>
  /** Starts to count for a task that may take so many clicks. */
  startTask(clicks: number): void
  /** Clicks since the task was started. */
  countClicks(): number
}

/** Makes a person of a page. */
export function createConsoleVisit({ url }: BrowserTestContext, page: Page): ConsoleVisit {
  const tab = createTab(() => page)
  let clicks = 0
  let allowed = Number.POSITIVE_INFINITY
  const clickIn = async (within: Tab, selector: string) => {
    clicks += 1
    assert.ok(clicks <= allowed, `click ${clicks} of ${allowed}: ${selector}`)
    await within.click(selector)
  }
  return {
    ...tab,
    page,
    open: (path = '') => page.goto(`${url}/console${path}`),
    waitForTitle: (title) =>
      until(`the title ${title}`, async () =>
        (await page.$eval('h1', (heading) => heading.textContent)) === title
          ? { value: undefined }
          : undefined,
      ),
    clickIn,
    click: (selector) => clickIn(tab, selector),
    async search(text) {
      // The script enhances the palette last.
      await until('the palette', async () =>
        (await page.evaluate(`Boolean(document.querySelector('a[data-palette]')?.onclick)`))
          ? { value: undefined }
          : undefined,
      )
      await page.keyboard.down('Control')
      await page.keyboard.press('k')
      await page.keyboard.up('Control')
      await tab.fill('dialog.palette[open] input', text)
      await until(`the result ${text}`, async () =>
        (await page.$eval('[role=option]', (option) => option.textContent))?.includes(text)
          ? { value: undefined }
          : undefined,
      )
    },
    postForm: async (selector, path) =>
      JSON.parse(
        String(
          await page.evaluate(`(async () => {
            const fields = new FormData(document.querySelector(${JSON.stringify(selector)}))
            fields.set('confirmation', 'disconnect')
            const body = new URLSearchParams(fields)
            const response = await fetch(${JSON.stringify(path)}, { method: 'POST', body })
            return JSON.stringify({ status: response.status, text: await response.text() })
          })()`),
        ),
      ),
    startTask(count) {
      clicks = 0
      allowed = count
    },
    countClicks: () => clicks,
  }
}

/** Waits for what the page says once. @throws after 90 s, with what it says instead */
export function waitForToast({ page }: ConsoleVisit, text: string): Promise<void> {
  return until(`the notice ${text}`, async () => {
    const shown = await page.$eval('.toast', (toast) => toast.textContent)
    if (shown?.includes(text)) return { value: undefined }
    throw new Error(`The notice is ${JSON.stringify(shown)}.`)
  })
}

/** Signs the owner in, in a window of its own: a hidden page does not refresh itself. */
export async function visitConsole(
  t: BrowserTestContext,
  context: BrowserContext,
): Promise<ConsoleVisit> {
  const visit = createConsoleVisit(t, await context.newPage({ type: 'window' }))
  await visit.open(`/open#${await createSignInCode(t)}`)
  await visit.waitForTitle('Welcome to Linchpin')
  return visit
}

/** Confirms with a new code who the person is. */
export async function confirmPerson(t: BrowserTestContext, visit: ConsoleVisit): Promise<void> {
  await visit.open('/elevate?to=/console/keys')
  if (new URL(visit.page.url()).pathname === '/console/keys') return
  await visit.fill('input[name=code]', await createSignInCode(t))
  await visit.page.keyboard.press('Enter')
  await visit.waitForTitle('Keyboard')
}
