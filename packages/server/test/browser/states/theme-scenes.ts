import { expectOk } from '../../test-context.ts'
import type { Scene, SceneDriver } from './scene.ts'
import type { SceneContext } from './scene-context.ts'

/** Pages in the appearance of a workspace: a light accent, round corners, own texts and no footer. */
export const THEME_SCENES: readonly Scene[] = [
  {
    name: 'picker-with-theme',
    state: 'picker',
    setUp: (driver) => openWithTheme(driver, {}),
  },
  {
    name: 'form-with-theme',
    state: 'form',
    setUp: (driver) => openWithTheme(driver, { integration: driver.t.github.key }),
  },
]

const THEME = {
  accentColor: '#ffd400',
  cornerRadius: 28,
  showFooter: false,
  texts: {
    introduction: {
      default: 'Acme reads your tickets every hour and never changes them.',
      de: 'Acme liest Ihre Tickets stündlich und ändert sie nie.',
      ar: 'تقرأ Acme تذاكرك كل ساعة ولا تغيّرها أبدًا.',
    },
    support: {
      default: 'Questions? Write to support@acme.example.',
      de: 'Fragen? Schreiben Sie an support@acme.example.',
      ar: 'هل لديك سؤال؟ راسلنا على support@acme.example.',
    },
  },
}

async function openWithTheme(driver: SceneDriver, query: Record<string, string>) {
  const restore = await setTheme(driver.t, THEME)
  await driver.open(await driver.t.link(), query)
  return restore
}

/** Replaces the theme of the workspace. Returns the function that restores the previous one. */
async function setTheme(t: SceneContext, theme: object): Promise<() => Promise<void>> {
  const path = `/v1/workspace/${t.workspaceId}`
  const workspaces = expectOk(await t.call('GET', '/v1/workspace'))
  const previous = workspaces.find(
    (one: { workspaceId: string }) => one.workspaceId === t.workspaceId,
  )
  expectOk(await t.call('POST', path, { body: { theme } }))
  return async () => {
    expectOk(await t.call('POST', path, { body: { theme: previous.theme } }))
  }
}
