import type { AccountId } from '../../../src/accounts/accounts/account.ts'
import { expectCreated, expectOk } from '../../test-context.ts'
import type { Scene, SceneDriver } from './scene.ts'
import type { SceneContext } from './scene-context.ts'
import { createBundleWithCheckStub, GITHUB_SPEC, IDENTIFIED_KEY, IDENTIFIED_USER } from './specs.ts'

/** The question what to do with a user who is connected already, and tools that cannot be connected again. */
export const AGAIN_SCENES: readonly Scene[] = [
  {
    name: 'alreadyConnected',
    state: 'alreadyConnected',
    async setUp(driver) {
      await enterKeyAgain(driver)
      await driver.send()
      return undefined
    },
  },
  {
    name: 'alreadyConnected-no-script',
    state: 'alreadyConnected',
    async setUp(driver) {
      await enterKeyAgain(driver)
      // Bypasses the script, which would keep the key.
      await driver.page.evaluate(`document.querySelector('form').submit()`)
      return undefined
    },
  },
  {
    name: 'alreadyConnected-by-sign-in',
    state: 'alreadyConnected',
    async setUp(driver) {
      const accountIdentifier = nextCustomer()
      for (const state of ['connected', 'alreadyConnected']) {
        const integrationDefinitionIds = [driver.t.books.id]
        await openSession(driver, { accountIdentifier, integrationDefinitionIds })
        const openedWindow = driver.context.waitForEvent('page')
        await driver.state('signIn')
        await driver.send()
        await (await openedWindow).locator('#allow').click()
        await driver.state(state)
      }
      return undefined
    },
  },
  {
    name: 'pickerEmpty-tool_gone',
    state: 'pickerEmpty',
    async setUp(driver) {
      const { t } = driver
      const code = createBundleWithCheckStub(GITHUB_SPEC, t.stubServer.url)
      const { integrationDefinitionId: id } = await t.createDefinition({ name: 'Typewriter', code })
      await openSession(driver, { integrationDefinitionIds: [id] }, async () => {
        expectOk(await t.call('DELETE', `/v1/integration_definition/${id}`))
      })
      return undefined
    },
  },
  {
    name: 'pickerEmpty-app_missing_to_reconnect',
    state: 'pickerEmpty',
    async setUp(driver) {
      const integrationAccountId = await createAccount(driver.t, {
        integrationDefinitionId: driver.t.noApp.id,
        authType: 'OAuth2',
        config: {},
      })
      await openSession(driver, { integrationAccountId })
      return undefined
    },
  },
]

let customers = 0
const nextCustomer = () => `customer-who-returns-${++customers}`

async function openSession(
  { t, page, lang, state, send }: SceneDriver,
  session: Record<string, unknown>,
  beforeOpening: () => Promise<void> = async () => undefined,
): Promise<void> {
  const body = { linkId: await t.link(), ...session }
  const { url } = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
  await beforeOpening()
  await page.goto(`${t.url}${new URL(url).pathname}?lang=${lang}`)
  // The form of the only tool opens the session itself.
  if ((await page.locator('main[data-state="sessionStart"]').count()) === 0) return
  await state('sessionStart')
  await send()
}

async function createAccount(t: SceneContext, body: Record<string, unknown>): Promise<AccountId> {
  const input = { integrationAccountName: 'An account', ...body }
  const response = await t.call('POST', '/v1/integration_account', { body: input })
  return expectCreated(response).integrationAccountId
}

/** Opens the form of a customer who has connected the user of the key before, and fills it in. */
async function enterKeyAgain(driver: SceneDriver): Promise<void> {
  const { t, page } = driver
  const accountIdentifier = nextCustomer()
  const integrationDefinitionId = t.github.id
  const config = { api_key: IDENTIFIED_KEY }
  const account = { integrationDefinitionId, authType: 'Api Key', config, accountIdentifier }
  const id = await createAccount(t, account)
  await t.database.transaction((trx) =>
    trx
      .updateTable('accounts')
      .set({ identity_id: IDENTIFIED_USER.id })
      .where('account_id', '=', id)
      .execute(),
  )
  const integrationDefinitionIds = [integrationDefinitionId]
  await openSession(driver, { accountIdentifier, integrationDefinitionIds })
  await driver.state('form')
  await page.locator('#field-0').fill(IDENTIFIED_KEY)
}
