import type { Html } from '../../platform/ui/html.ts'
import { tabs } from '../parts/table.ts'
import type { Words } from '../words/en.ts'

const TABS = ['workspace', 'branding', 'members', 'tokens', 'signIn', 'instance'] as const
export type SettingsTab = (typeof TABS)[number]

export const SETTINGS_PATHS: Readonly<Record<SettingsTab, string>> = {
  workspace: '/console/settings',
  branding: '/console/settings/branding',
  members: '/console/settings/members',
  tokens: '/console/settings/tokens',
  signIn: '/console/settings/sign-in',
  instance: '/console/settings/instance',
}

/** The parts of the settings. */
export function settingsTabs(current: SettingsTab, words: Words): Html {
  return tabs(
    words.sections.settings,
    TABS.map((tab) => ({
      name: words.settings.tabs[tab],
      href: SETTINGS_PATHS[tab],
      isCurrent: tab === current,
    })),
  )
}
