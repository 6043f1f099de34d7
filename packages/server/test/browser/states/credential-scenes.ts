import { openScene, type Scene, type SceneDriver } from './scene.ts'

/** Credentials forms and their results. */
export const CREDENTIAL_SCENES: readonly Scene[] = [
  openScene('form', 'form', (t) => t.link({ integrationDefinitionId: t.github.id })),
  openScene(
    'form-of-many',
    'form',
    (t) => t.link(),
    (t) => ({ integration: t.github.key }),
  ),
  openScene('form-custom', 'form', (t) => t.link({ integrationDefinitionId: t.form.id })),
  openScene(
    'form-password',
    'form',
    (t) => t.link({ integrationDefinitionId: t.multiAuth.id }),
    () => ({ auth: 'Basic' }),
  ),
  {
    name: 'form-errors',
    state: 'failed',
    async setUp(driver) {
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.form.id }))
      // Bypasses the script, which would report the error before submission.
      await driver.page.evaluate(`document.querySelector('form').submit()`)
      await driver.state('failed')
      return undefined
    },
  },
  {
    name: 'failed-key',
    state: 'failed',
    setUp: (driver) =>
      failCheck(driver, {
        status: false,
        error: 'Bad credentials',
        code: 'invalid_credentials',
        field: 'api_key',
        hint: 'Keys start with ghp_; make a new one at github.com/settings/tokens.',
      }),
  },
  {
    name: 'failed-provider',
    state: 'failed',
    setUp: (driver) => failCheck(driver, { status: false, error: 'no', code: 'rate_limited' }),
  },
  {
    name: 'used-up',
    state: 'alreadyFinished',
    async setUp(driver) {
      const only = { integrationDefinitionId: driver.t.github.id, maxAccounts: 1 }
      await driver.open(await connectAccount(driver, {}, only))
      return undefined
    },
  },
  {
    name: 'connected',
    state: 'connected',
    setUp: (driver) => connectAccount(driver).then(() => undefined),
  },
  {
    name: 'connected-with-return',
    state: 'connected',
    async setUp(driver) {
      // Otherwise the page returns by itself.
      await driver.page.addInitScript(
        'const start = setTimeout; window.setTimeout = (call, ms) => ms === 2000 ? 0 : start(call, ms)',
      )
      await connectAccount(driver, { redirectURL: driver.t.returnUrl })
      await driver.page.locator('[data-returning]').waitFor()
      return undefined
    },
  },
  {
    name: 'picker-connected',
    state: 'picker',
    async setUp(driver) {
      const linkId = await connectAccount(
        driver,
        { redirectURL: driver.t.returnUrl, integration: driver.t.github.key },
        {},
      )
      await driver.open(linkId, { redirectURL: driver.t.returnUrl })
      return undefined
    },
  },
  {
    name: 'alreadyFinished',
    state: 'alreadyFinished',
    async setUp(driver) {
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.github.id }))
      await fill(driver)
      await sendTwice(driver)
      await driver.page.evaluate(`document.querySelector('form').submit()`)
      await driver.state('alreadyFinished')
      return undefined
    },
  },
  {
    name: 'stillRunning',
    state: 'stillRunning',
    async setUp(driver) {
      const pausedCheck = driver.t.pauseChecks()
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.github.id }))
      await fill(driver)
      const submission = sendTwice(driver).catch(() => undefined)
      await pausedCheck.requested
      await driver.page.evaluate(`document.querySelector('form').submit()`)
      await driver.state('stillRunning')
      return async () => {
        pausedCheck.release()
        await submission
      }
    },
  },
  {
    name: 'checking',
    state: 'form',
    async setUp(driver) {
      const pausedCheck = driver.t.pauseChecks()
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.github.id }))
      await fill(driver)
      await driver.send()
      await pausedCheck.requested
      return pausedCheck.release
    },
  },
  {
    name: 'slow',
    state: 'form',
    async setUp(driver) {
      const pausedCheck = driver.t.pauseChecks()
      await driver.page.clock.install()
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.github.id }))
      await fill(driver)
      await driver.send()
      await pausedCheck.requested
      await driver.page.clock.runFor(8_100)
      await driver.page.locator('[data-screen="slow"]').waitFor()
      return pausedCheck.release
    },
  },
  {
    name: 'offline',
    state: 'form',
    async setUp(driver) {
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.github.id }))
      await fill(driver)
      await driver.context.setOffline(true)
      await driver.send()
      await driver.page.locator('[data-screen="offline"]').waitFor()
      return () => driver.context.setOffline(false)
    },
  },
  {
    name: 'frame-form',
    state: 'form',
    async setUp(driver) {
      await driver.openFrame(await driver.t.link({ integrationDefinitionId: driver.t.github.id }))
      return undefined
    },
  },
]

async function fill({ page }: SceneDriver): Promise<void> {
  await page.locator('#field-0').fill('ghp_canary_0123456789')
}

/** Submits the form outside the page, so that the page can submit it again. */
function sendTwice({ page }: SceneDriver): Promise<unknown> {
  return page.evaluate(`(() => {
    const form = document.querySelector('form')
    return fetch(form.action, { method: 'POST', keepalive: true, body: new URLSearchParams(new FormData(form)) }).then((a) => a.status)
  })()`)
}

async function failCheck(driver: SceneDriver, result: unknown): Promise<undefined> {
  const { t } = driver
  await driver.open(await t.link({ integrationDefinitionId: t.github.id }))
  await fill(driver)
  t.checkStub.result = result
  await driver.send()
  await driver.state('failed')
  t.checkStub.result = { status: true }
}

/** Connects with a key. Returns the link. */
async function connectAccount(
  driver: SceneDriver,
  query: Record<string, string> = {},
  body: Record<string, unknown> = { integrationDefinitionId: driver.t.github.id },
): Promise<string> {
  const linkId = await driver.t.link(body)
  await driver.open(linkId, query)
  await fill(driver)
  await driver.send()
  await driver.state('connected')
  return linkId
}
