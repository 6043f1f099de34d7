import type { AccountId } from '../../../src/accounts/account.ts'
import { expectCreated } from '../../test-context.ts'
import type { Scene, SceneDriver } from './scene.ts'
import { IDENTIFIED_KEY, IDENTIFIED_USER } from './specs.ts'

/** The question what to do with a user who is connected already. */
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
        await openSession(driver, accountIdentifier, driver.t.books.id)
        const openedWindow = driver.context.waitForEvent('page')
        await driver.state('signIn')
        await driver.send()
        await (await openedWindow).locator('#allow').click()
        await driver.state(state)
      }
      return undefined
    },
  },
]

let customers = 0
const nextCustomer = () => `customer-who-returns-${++customers}`

async function openSession(
  { t, page, lang, state, send }: SceneDriver,
  accountIdentifier: string,
  integrationDefinitionId: string,
): Promise<void> {
  const body = { linkId: await t.link({ integrationDefinitionId }), accountIdentifier }
  const { url } = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
  await page.goto(`${t.url}${new URL(url).pathname}?lang=${lang}`)
  await state('sessionStart')
  await send()
}

/** Opens the form of a customer who has connected the user of the key before, and fills it in. */
async function enterKeyAgain(driver: SceneDriver): Promise<void> {
  const { t, page } = driver
  const accountIdentifier = nextCustomer()
  const body = {
    ...{ integrationDefinitionId: t.github.id, integrationAccountName: 'GitHub' },
    ...{ authType: 'Api Key', config: { api_key: IDENTIFIED_KEY }, accountIdentifier },
  }
  const { integrationAccountId: id } = expectCreated(
    await t.call('POST', '/v1/integration_account', { body }),
  )
  await t.database.transaction((trx) =>
    trx
      .updateTable('accounts')
      .set({ identity_id: IDENTIFIED_USER.id })
      .where('account_id', '=', id as AccountId)
      .execute(),
  )
  await openSession(driver, accountIdentifier, t.github.id)
  await driver.state('form')
  await page.locator('#field-0').fill(IDENTIFIED_KEY)
}
