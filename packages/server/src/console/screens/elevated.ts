import type { Linchpin } from '@linchpin/sdk'
import type { Scope } from '../../access/auth/caller.ts'
import { linkButton } from '../parts/content.ts'
import { emptyState } from '../parts/table.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Section, View } from '../screen.ts'
import { type SettingsTab, settingsTabs } from './settings-tabs.ts'

export interface ElevatedOptions {
  readonly scope: Scope
  /** Of the settings. */
  readonly tab?: SettingsTab
  /** Default: settings. */
  readonly section?: Section
  /** Where the person comes back to. */
  readonly path: string
  /** What waits for the confirmation. */
  readonly text: string
}

/** What needs a scope that a session has only after the person has confirmed who they are; before that, the way to it. */
export async function withElevated(
  view: View,
  { scope, tab, section = 'settings', path, text }: ElevatedOptions,
  show: (api: Linchpin) => Promise<Answer>,
): Promise<Answer> {
  const { words } = view
  const reason = whyNot(view, scope, 'elevated')
  const api = reason === undefined ? await view.openApi('elevated') : undefined
  if (api !== undefined) return show(api)
  return {
    title: words.sections[section],
    section,
    status: reason === undefined ? 200 : 403,
    tabs: tab && settingsTabs(tab, words),
    main: emptyState({
      icon: 'lock',
      text: reason ?? text,
      action:
        reason === undefined
          ? linkButton(
              { text: words.elevation.title, icon: 'key', kind: 'primary' },
              `/console/elevate?to=${encodeURIComponent(path)}`,
            )
          : undefined,
    }),
  }
}
