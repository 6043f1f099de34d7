import type { Message } from '../../i18n/messages.ts'
import { actions } from '../../ui/button.ts'
import { type StateHeader, stateHeader } from '../../ui/header.ts'
import { type Html, html } from '../../ui/html.ts'
import type { Screen } from './screen.ts'

/** The appearance of a status screen. */
export interface StatusScreenOptions {
  readonly status?: number
  readonly mark?: StateHeader['mark']
  readonly icon?: StateHeader['icon']
  /** The bar above the message. */
  readonly header?: Html | undefined
  readonly buttons?: readonly (Html | undefined)[]
  readonly data?: Screen['data']
  readonly retryAfter?: number
}

/** A screen with one message and the buttons to continue. */
export function statusScreen(
  state: string,
  { title, body }: Message,
  options: StatusScreenOptions = {},
): Screen {
  const { status = 200, mark = 'info', icon, header, buttons = [], data, retryAfter } = options
  const main = html`${header}${stateHeader({ mark, icon, title, body })}${
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
