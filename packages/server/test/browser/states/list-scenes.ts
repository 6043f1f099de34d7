import { opened, type Scene } from './scene.ts'
import type { Stage } from './stage.ts'

const all = (t: Stage) => t.link()
const only = (tool: 'ways' | 'noApp') => (t: Stage) =>
  t.link({ integrationDefinitionId: t[tool].id })

/** What there is to choose from. */
export const LIST_SCENES: readonly Scene[] = [
  opened('picker', 'picker', all),
  opened('picker-category', 'picker', all, () => ({ category: 'TICKETING' })),
  opened('picker-few', 'picker', all, (t) => ({ integrationKeys: `${t.github.key},linear,jira` })),
  {
    name: 'noMatch',
    state: 'noMatch',
    async reach(go) {
      // With the script the whole list is there, and narrowed here.
      await go.page.route('**/assets/*.js', (route) => route.abort())
      await go.open(await all(go.t), { q: 'salesforse' })
      return undefined
    },
  },
  {
    name: 'noMatch-typed',
    state: 'picker',
    async reach(go) {
      await go.open(await all(go.t))
      await go.page.locator('input[name="q"]').fill('salesforse')
      await go.page.locator('[data-none]').waitFor()
      return undefined
    },
  },
  opened('chooseAuth', 'chooseAuth', only('ways')),
  opened('pickerEmpty-none_in_workspace', 'pickerEmpty', (t) => t.link({ category: ['SOCIAL'] })),
  opened('pickerEmpty-none_match_keys', 'pickerEmpty', all, () => ({ integrationKeys: 'nothing' })),
  opened('pickerEmpty-none_with_sign_in', 'pickerEmpty', (t) =>
    t.link({ integrationDefinitionId: t.github.id, preferOAuth: true }),
  ),
  opened('pickerEmpty-app_missing', 'pickerEmpty', only('noApp')),
  opened('pickerEmpty-app_missing_among_others', 'pickerEmpty', all, (t) => ({
    integration: t.noApp.key,
  })),
]
