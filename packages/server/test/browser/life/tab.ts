import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, ElementHandle, Frame, Page } from 'puppeteer-core'

/**
 * A page, window or frame in any browser. Every method waits until it can be done, for 90 s at most. It looks the element up
 * again each time, because the script of the page replaces its screens.
 */
export interface Tab {
  /** Presses with the mouse: the browser takes it for the person's own action, and allows windows. */
  click(selector: string): Promise<void>
  /** Types into a field. */
  fill(selector: string, text: string): Promise<void>
  /** Waits until one of these screens of the connect page is shown. */
  waitForState(...states: string[]): Promise<void>
  /** Waits until the text of the page contains this. */
  waitForText(text: string): Promise<void>
  /** The text of the connect page, as it is read. */
  text(): Promise<string>
}

/** Wraps a page, or the frame or window that `find` returns once it exists. */
export function createTab(find: () => Page | Frame | undefined | Promise<Page | undefined>): Tab {
  const onElement = <Value>(selector: string, use: (element: ElementHandle) => Promise<Value>) =>
    until(selector, async () => {
      const element = await (await find())?.$(selector)
      if (!(await element?.isVisible())) return undefined
      return element ? { value: await use(element) } : undefined
    })
  const text = () =>
    onElement('main', (main) => main.evaluate((node) => (node as HTMLElement).innerText))
  return {
    text,
    async click(selector) {
      await onElement(selector, waitUntilStill)
      await onElement(selector, (element) => element.click())
    },
    fill: (selector, value) => onElement(selector, (element) => element.type(value)),
    waitForState: (...states) =>
      onElement(states.map((state) => `main[data-state="${state}"]`).join(), async () => {}),
    waitForText: (wanted) =>
      until(wanted, async () =>
        (await text()).includes(wanted) ? { value: undefined } : undefined,
      ),
  }
}

/** A dialog that opens moves its frame: a press would hit the place where the button was. */
async function waitUntilStill(element: ElementHandle): Promise<void> {
  await element.scrollIntoView()
  let before = await element.clickablePoint()
  for (;;) {
    await sleep(50)
    const now = await element.clickablePoint()
    if (now.x === before.x && now.y === before.y) return
    before = now
  }
}

/** The frame of the connect page inside a host's page. */
export function getConnectFrame(page: Page): Tab {
  return createTab(() => page.frames().find((frame) => frame.url().includes('/connect/frame/')))
}

/** The window whose address starts like this. */
export function getWindow(browser: Browser, address: string): Tab {
  return createTab(async () =>
    (await browser.pages()).find((page) => page.url().startsWith(address)),
  )
}

/**
 * Waits until `attempt` returns a value. An attempt may fail while a page loads.
 *
 * @throws after 90 s, with the last error
 */
export async function until<Value>(
  title: string,
  attempt: () => Promise<{ value: Value } | undefined>,
): Promise<Value> {
  const deadline = performance.now() + 90_000
  let last: unknown
  while (performance.now() < deadline) {
    try {
      const result = await attempt()
      if (result !== undefined) return result.value
    } catch (error) {
      last = error
    }
    await sleep(30)
  }
  throw new Error(`still not after 90 s: ${title}`, { cause: last })
}
