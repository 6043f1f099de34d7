import { button } from '../../page/components/button.ts'
import type { IconName } from '../../page/components/icons.ts'
import { topBar } from '../../page/components/top-bar.ts'
import type { Told } from '../../page/words/words.ts'
import type { LinkRow } from '../../storage/tables.ts'
import type { Shell } from './page.ts'
import type { Screen } from './screen.ts'
import { toldScreen } from './told.ts'

/** Why a page cannot go on. */
export type Stop =
  | 'busy'
  | 'link_expired'
  | 'link_full'
  | 'link_identifier_full'
  | 'link_revoked'
  | 'notHere'
  | 'notOurs'
  | 'redirectNotAllowed'
  | 'unknownLink'
  | 'wrongAddress'

/** What a stop may name. */
export interface StopFacts {
  readonly by?: string | undefined
  readonly link?: LinkRow | undefined
  /** Where to begin again. */
  readonly again?: string | undefined
}

/** The screen of a stop: what is so, and whose move it is. */
export function stopScreen(shell: Shell, why: Stop, facts: StopFacts = {}): Screen {
  const { words } = shell
  const { by: workspace = '', again } = facts
  const { state, status } = STOPS[why]
  const told: Told =
    why === 'link_expired'
      ? words.states.expired({ workspace, at: new Date(facts.link?.expires_at ?? 0) })
      : words.states[TOLD[why]]({ workspace })
  return toldScreen(state, told, {
    status,
    mark: Object.hasOwn(ICON, why) ? 'info' : 'warning',
    icon: ICON[why],
    bar: workspace === '' ? undefined : topBar({ workspace: { name: workspace } }),
    buttons: [
      again === undefined
        ? undefined
        : button({
            text: words.action.startAgain,
            href: again,
            attributes: { 'data-go': true },
          }),
    ],
    data: { 'data-code': why },
  })
}

/** A link that came to its end is nobody's fault. */
const ICON: Partial<Record<Stop, IconName>> = { link_expired: 'clock', link_revoked: 'lock' }

/** Whether a failure closes the link as a whole. */
export function isStop(code: string): code is Extract<Stop, `link_${string}`> {
  return code.startsWith('link_') && Object.hasOwn(STOPS, code)
}

const STOPS: Readonly<Record<Stop, { readonly state: string; readonly status: number }>> = {
  busy: { state: 'busy', status: 503 },
  link_expired: { state: 'expired', status: 410 },
  link_full: { state: 'full', status: 403 },
  link_identifier_full: { state: 'identifierFull', status: 403 },
  link_revoked: { state: 'revoked', status: 410 },
  notHere: { state: 'notHere', status: 403 },
  notOurs: { state: 'notOurs', status: 403 },
  redirectNotAllowed: { state: 'redirectNotAllowed', status: 400 },
  unknownLink: { state: 'unknownLink', status: 404 },
  wrongAddress: { state: 'wrongAddress', status: 400 },
}

const TOLD = {
  busy: 'busy',
  link_full: 'full',
  link_identifier_full: 'identifierFull',
  link_revoked: 'revoked',
  notHere: 'notHere',
  notOurs: 'notOurs',
  redirectNotAllowed: 'redirectNotAllowed',
  unknownLink: 'unknownLink',
  wrongAddress: 'wrongAddress',
} as const satisfies Record<Exclude<Stop, 'link_expired'>, string>
