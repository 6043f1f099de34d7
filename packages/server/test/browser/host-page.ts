import type { FrameLocator, Page } from 'playwright-core'
import type { HostSite } from './host-site.ts'

/** The messages and callbacks that the host page received, in order. */
export interface HostEvents {
  readonly ready: number
  readonly success: readonly Record<string, unknown>[]
  readonly error: readonly Record<string, unknown>[]
  readonly exit: readonly Record<string, unknown>[]
  readonly events: readonly string[]
  readonly result: Record<string, unknown> | null
}

/** Serves a host page with our script, a "Connect" button and a record of all messages and callbacks. */
export function serveHostPage(
  host: HostSite,
  serviceUrl: string,
  options: Record<string, unknown>,
  { path = '/app', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): string {
  host.script(
    `${path}.js`,
    `${RECORD_EVENTS_SCRIPT}
window.openIt = () => {
  const told = window.told
  window.handle = window.LinchpinLink.open({
    baseURL: ${JSON.stringify(serviceUrl)}, ...${JSON.stringify(options)},
    container: document.getElementById('container') ?? undefined,
    onReady: () => { told.ready += 1 },
    onSuccess: (account) => told.success.push(account),
    onError: (failure) => told.error.push(failure),
    onExit: (exit) => told.exit.push(exit),
    onEvent: (name, meta) => told.events.push(name + ' ' + JSON.stringify(meta)),
  })
  window.handle.result.then((result) => { told.result = result })
}
document.getElementById('open').addEventListener('click', window.openIt)`,
  )
  return host.serve(
    path,
    `<!doctype html><html lang="en"><title>Host</title><body><h1>Host</h1><button id="open">Connect</button>
<a href="#after">After</a>${options.isInline === true ? '<div id="container"></div>' : ''}
<script src="${serviceUrl}/link.js"></script><script src="${path}.js"></script></body></html>`,
    headers,
  )
}

/** Records every message that the host page receives. */
export const RECORD_EVENTS_SCRIPT = `
window.messages = []
window.told = { ready: 0, success: [], error: [], exit: [], events: [], result: null }
addEventListener('message', ({ data, origin }) => window.messages.push(JSON.stringify({ data, origin })))`

export function getHostEvents(page: Page): Promise<HostEvents> {
  return page.evaluate<HostEvents>('window.told')
}

/** Waits until an expression over the record is true. It is evaluated here, because a strict CSP blocks eval. */
export async function waitForHostEvents(page: Page, expression: string): Promise<HostEvents> {
  const test = `(({ ready, success, error, exit, events, result }) => ${expression})(window.told)`
  for (let attempt = 0; attempt < 150; attempt += 1) {
    if ((await page.evaluate(test)) === true) return getHostEvents(page)
    await page.waitForTimeout(100)
  }
  throw new Error(
    `the host received no message with ${expression}: ${JSON.stringify(await getHostEvents(page))}`,
  )
}

/** The connect page inside the host page. */
export function getFrame(page: Page): FrameLocator {
  return page.frameLocator('iframe.linchpin-frame')
}

/** Submits a valid key. */
export async function connectDesk(page: Page, provider: string): Promise<void> {
  const frame = getFrame(page)
  await frame.getByLabel('Key of the desk', { exact: true }).fill('desk_canary_key_0123')
  await frame.locator('input[type="url"]').fill(provider)
  await frame.locator('form button[type="submit"]').click()
  await frame.locator('main[data-state="connected"]').waitFor()
}
