import { html } from '../../platform/ui/html.ts'
import { facts, panel, submitButton } from '../parts/content.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import type { Screen } from '../screen.ts'
import { settingsTabs } from './settings-tabs.ts'

/** How am I signed in? */
export const signInSettingsScreen: Screen = {
  path: '/settings/sign-in',
  async show({ words, session, now, formFields }) {
    const { signIn } = words.settings
    const { elevatedUntil } = session
    return {
      title: words.sections.settings,
      section: 'settings',
      tabs: settingsTabs('signIn', words),
      main: html`<div class="stack form">${panel(
        signIn.session,
        html`<div class="stack">${facts([
          [signIn.person, session.name],
          [signIn.email, session.email],
          [signIn.role, words.roles[session.membership.role]],
          [
            signIn.method,
            signIn.methods[session.method as keyof typeof signIn.methods] ?? session.method,
          ],
          [signIn.since, exactTime(session.startedAt)],
          [
            signIn.ends,
            html`${exactTime(session.endsAt)} (${timeAgo(session.endsAt, now, words)})`,
          ],
          [
            signIn.elevated,
            elevatedUntil === null
              ? signIn.notElevated
              : html`${signIn.elevatedEnd} ${timeAgo(elevatedUntil, now, words)}`,
          ],
        ])}<p class="quiet">${signIn.idle}</p>
<form method="post" action="/console/sign-out" data-turbo="false">${formFields('/console/sign-out')}${submitButton({ text: words.app.signOut, icon: 'signOut' })}</form></div>`,
      )}</div>`,
    }
  },
}
