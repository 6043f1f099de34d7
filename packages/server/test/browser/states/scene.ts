import type { BrowserContext, Page } from 'playwright-core'
import type { SceneContext } from './scene-context.ts'

/** A state of the connect page and the steps to reach it. */
export interface Scene {
  readonly name: string
  /** The expected `data-state`. */
  readonly state: string
  /** Contains every kind of text, so it is also checked in other languages. */
  readonly hasLongText?: boolean
  /** Reaches the state. Returns the cleanup. */
  setUp(driver: SceneDriver): Promise<(() => unknown) | undefined>
}

/** Drives the page to a state. */
export interface SceneDriver {
  readonly t: SceneContext
  readonly page: Page
  readonly context: BrowserContext
  readonly lang: string
  /** Opens the page of a link in the language of the driver and waits for it to load. */
  open(linkId: string, query?: Record<string, string>): Promise<void>
  /** Opens the frame URL instead. */
  openFrame(linkId: string, query?: Record<string, string>): Promise<void>
  /** Clicks the primary button. */
  send(): Promise<void>
  /** Waits for a state. */
  state(name: string): Promise<void>
}

/** Creates a driver for a language. */
export function createSceneDriver(t: SceneContext, page: Page, lang: string): SceneDriver {
  const navigate = async (path: string, query: Record<string, string> = {}) => {
    await page.goto(`${t.url}${path}?${new URLSearchParams({ lang, ...query })}`)
  }
  return {
    t,
    page,
    context: page.context(),
    lang,
    open: (linkId, query) => navigate(`/link/${linkId}`, query),
    openFrame: (linkId, query) => navigate(`/link/frame/${linkId}`, query),
    send: () => page.locator('form .button[type="submit"], form button.button').first().click(),
    async state(name) {
      await page.locator(`main[data-state="${name}"]`).waitFor()
    },
  }
}

/** A state that is reached by opening a URL. */
export function openScene(
  name: string,
  state: string,
  link: (t: SceneContext) => Promise<string>,
  query: (t: SceneContext) => Record<string, string> = () => ({}),
): Scene {
  return {
    name,
    state,
    async setUp(driver) {
      await driver.open(await link(driver.t), query(driver.t))
      return undefined
    },
  }
}
