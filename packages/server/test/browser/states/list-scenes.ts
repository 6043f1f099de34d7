import { openScene, type Scene } from './scene.ts'
import type { SceneContext } from './scene-context.ts'

const createLink = (t: SceneContext) => t.link()
const createLinkFor = (integration: 'manyKeys' | 'noApp') => (t: SceneContext) =>
  t.link({ integrationDefinitionId: t[integration].id })

/** Lists of integrations and auth methods. */
export const LIST_SCENES: readonly Scene[] = [
  openScene('picker', 'picker', createLink),
  openScene('picker-category', 'picker', createLink, () => ({ category: 'TICKETING' })),
  openScene('picker-few', 'picker', createLink, (t) => ({
    integrationKeys: `${t.github.key},linear,jira`,
  })),
  {
    name: 'noMatch',
    state: 'noMatch',
    async setUp(driver) {
      // With the script, the page loads the whole list and filters it in the browser.
      await driver.page.route('**/assets/*.js', (route) => route.abort())
      await driver.open(await createLink(driver.t), { q: 'salesforse' })
      return undefined
    },
  },
  {
    name: 'noMatch-typed',
    state: 'picker',
    async setUp(driver) {
      await driver.open(await createLink(driver.t))
      await driver.page.locator('input[name="q"]').fill('salesforse')
      await driver.page.locator('[data-none]').waitFor()
      return undefined
    },
  },
  {
    name: 'notSetUp-typed',
    state: 'picker',
    async setUp(driver) {
      await driver.open(await createLink(driver.t))
      await driver.page.locator('input[name="q"]').fill('mailr')
      await driver.page.locator('[data-none] [data-text="Mailroom"]').waitFor()
      return undefined
    },
  },
  openScene('chooseAuth', 'chooseAuth', createLinkFor('manyKeys')),
  openScene('pickerEmpty-none_in_workspace', 'pickerEmpty', (t) =>
    t.link({ category: ['SOCIAL'] }),
  ),
  openScene('pickerEmpty-none_match_keys', 'pickerEmpty', createLink, () => ({
    integrationKeys: 'nothing',
  })),
  openScene('pickerEmpty-none_with_sign_in', 'pickerEmpty', (t) =>
    t.link({ integrationDefinitionId: t.github.id, preferOAuth: true }),
  ),
  openScene('pickerEmpty-app_missing', 'pickerEmpty', createLinkFor('noApp')),
  openScene('pickerEmpty-app_missing_among_others', 'pickerEmpty', createLink, (t) => ({
    integration: t.noApp.key,
  })),
]
