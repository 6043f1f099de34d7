import type { BrowserContext, Page } from 'playwright-core'
import type { Stage } from './stage.ts'

/** A state of the connect page, and the steps that lead a person there. */
export interface Scene {
  readonly name: string
  /** `data-state` once there. */
  readonly state: string
  /** Has words and parts of every kind: looked at in other languages too. */
  readonly isLong?: boolean
  /** Leads there. Answers what must be ended once the state was looked at. */
  reach(go: Go): Promise<(() => unknown) | undefined>
}

/** Somebody on the way to a state. */
export interface Go {
  readonly t: Stage
  readonly page: Page
  readonly context: BrowserContext
  /** Opens the page of a link in the language of this visit, and waits until it is all there. */
  open(linkId: string, query?: Record<string, string>): Promise<void>
  /** The same in the address of the frame. */
  openFrame(linkId: string, query?: Record<string, string>): Promise<void>
  /** Presses the primary button of the page. */
  send(): Promise<void>
  /** Waits until the page is in a state. */
  state(name: string): Promise<void>
}

/** A way to reach something in a language. */
export function newGo(t: Stage, page: Page, lang: string): Go {
  const to = async (path: string, query: Record<string, string> = {}) => {
    await page.goto(`${t.url}${path}?${new URLSearchParams({ lang, ...query })}`)
  }
  return {
    t,
    page,
    context: page.context(),
    open: (linkId, query) => to(`/link/${linkId}`, query),
    openFrame: (linkId, query) => to(`/link/frame/${linkId}`, query),
    send: () => page.locator('form .button[type="submit"], form button.button').first().click(),
    async state(name) {
      await page.locator(`main[data-state="${name}"]`).waitFor()
    },
  }
}

/** A state that is reached by opening an address. */
export function opened(
  name: string,
  state: string,
  link: (t: Stage) => Promise<string>,
  query: (t: Stage) => Record<string, string> = () => ({}),
): Scene {
  return {
    name,
    state,
    async reach(go) {
      await go.open(await link(go.t), query(go.t))
      return undefined
    },
  }
}
