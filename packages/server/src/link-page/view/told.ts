import { actions } from '../../page/components/actions.ts'
import { type StateHeader, stateHeader } from '../../page/components/state-header.ts'
import { type Html, html } from '../../page/html.ts'
import type { Told } from '../../page/words/words.ts'
import type { Screen } from './screen.ts'

/** What a screen looks like that tells one thing. */
export interface ToldLooks {
  readonly status?: number
  readonly mark?: StateHeader['mark']
  readonly icon?: StateHeader['icon']
  /** The line over it. */
  readonly bar?: Html | undefined
  readonly buttons?: readonly (Html | undefined)[]
  readonly data?: Screen['data']
  readonly retryAfter?: number
}

/** A screen that tells one thing, and offers what can be done about it. */
export function toldScreen(state: string, { title, body }: Told, looks: ToldLooks = {}): Screen {
  const { status = 200, mark = 'info', icon, bar, buttons = [], data, retryAfter } = looks
  const main = html`${bar}${stateHeader({ mark, icon, title, body })}${
    buttons.some((one) => one !== undefined) ? actions(...buttons) : ''
  }`
  return {
    state,
    status,
    title,
    main,
    ...(data === undefined ? {} : { data }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  }
}
