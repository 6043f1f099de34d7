import type { BrowserContext, Page } from 'playwright-core'
import type { SceneContext } from './scene-context.ts'

/** A state of the connect page, and the steps that lead a person there. */
export interface Scene {
  readonly name: string
  /** `data-state` once there. */
  readonly state: string
  /** Has words and parts of every kind: looked at in other languages too. */
  readonly hasLongText?: boolean
  /** Leads there. Answers what must be ended once the state was looked at. */
  setUp(driver: SceneDriver): Promise<(() => unknown) | undefined>
}

/** Somebody on the way to a state. */
export interface SceneDriver {
  readonly t: SceneContext
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
export function createSceneDriver(t: SceneContext, page: Page, lang: string): SceneDriver {
  const goTo = async (path: string, query: Record<string, string> = {}) => {
    await page.goto(`${t.url}${path}?${new URLSearchParams({ lang, ...query })}`)
  }
  return {
    t,
    page,
    context: page.context(),
    open: (linkId, query) => goTo(`/link/${linkId}`, query),
    openFrame: (linkId, query) => goTo(`/link/frame/${linkId}`, query),
    send: () => page.locator('form .button[type="submit"], form button.button').first().click(),
    async state(name) {
      await page.locator(`main[data-state="${name}"]`).waitFor()
    },
  }
}

/** A state that is reached by opening an address. */
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
