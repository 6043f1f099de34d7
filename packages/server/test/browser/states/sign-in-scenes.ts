import type { Page } from 'playwright-core'
import { openScene, type Scene, type SceneDriver } from './scene.ts'

/** Sign-in and its results. */
export const SIGN_IN_SCENES: readonly Scene[] = [
  openScene(
    'signIn',
    'signIn',
    (t) => t.link({ integrationDefinitionId: t.multiAuth.id }),
    () => ({ auth: 'OAuth2' }),
  ),
  openScene('signIn-only', 'signIn', (t) => t.link({ integrationDefinitionId: t.books.id })),
  {
    name: 'waitingSignIn',
    state: 'signIn',
    async setUp(driver) {
      const window = await startSignIn(driver)
      await waitForScreen(driver, 'waitingSignIn')
      return () => window.close()
    },
  },
  {
    name: 'waitingSignIn-reloaded',
    state: 'waitingSignIn',
    async setUp(driver) {
      const window = await startSignIn(driver)
      await waitForScreen(driver, 'waitingSignIn')
      await driver.page.reload()
      await driver.state('waitingSignIn')
      return () => window.close()
    },
  },
  {
    name: 'windowClosed',
    state: 'signIn',
    async setUp(driver) {
      const window = await startSignIn(driver)
      await waitForScreen(driver, 'waitingSignIn')
      await window.close()
      await waitForScreen(driver, 'windowClosed')
      return undefined
    },
  },
  {
    name: 'popupBlocked',
    state: 'signIn',
    async setUp(driver) {
      await driver.page.addInitScript('window.open = () => null')
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.books.id }))
      await driver.send()
      await waitForScreen(driver, 'popupBlocked')
      return undefined
    },
  },
  {
    name: 'connected-by-sign-in',
    state: 'connected',
    setUp: (driver) => finishSignIn(driver, 'allow', 'connected'),
  },
  {
    name: 'failed-denied',
    state: 'failed',
    setUp: (driver) => finishSignIn(driver, 'deny', 'failed'),
  },
  {
    name: 'closed',
    state: 'closed',
    async setUp(driver) {
      await driver.page.goto(
        `${driver.t.url}/link/${await driver.t.link()}/closed?lang=${await getLanguage(driver)}`,
      )
      return undefined
    },
  },
  {
    name: 'closed-good',
    state: 'closed',
    setUp: (driver) => closeAfterSignIn(driver, 'allow', 'connected'),
  },
  {
    name: 'closed-bad',
    state: 'closed',
    setUp: (driver) => closeAfterSignIn(driver, 'deny', 'failed'),
  },
]

/** Opens the popup of a sign-in. */
async function startSignIn(driver: SceneDriver): Promise<Page> {
  await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.books.id }))
  const openedWindow = driver.context.waitForEvent('page')
  await driver.send()
  const window = await openedWindow
  await window.locator('#allow').waitFor()
  return window
}

async function finishSignIn(
  driver: SceneDriver,
  buttonId: 'allow' | 'deny',
  state: string,
): Promise<undefined> {
  const window = await startSignIn(driver)
  await window.locator(`#${buttonId}`).click()
  await driver.state(state)
}

async function closeAfterSignIn(
  driver: SceneDriver,
  buttonId: 'allow' | 'deny',
  state: string,
): Promise<undefined> {
  await finishSignIn(driver, buttonId, state)
  const url = new URL(driver.page.url())
  url.pathname += '/closed'
  await driver.page.goto(url.href)
}

async function waitForScreen({ page }: SceneDriver, name: string): Promise<void> {
  await page.locator(`[data-screen="${name}"]`).waitFor()
}

/** Sets the language from the first page that is opened. */
async function getLanguage(driver: SceneDriver): Promise<string> {
  await driver.open(await driver.t.link())
  return (await driver.page.locator('html').getAttribute('lang')) ?? 'en'
}
