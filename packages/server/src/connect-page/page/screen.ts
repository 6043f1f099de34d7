import type { Text } from '../../i18n/localized-text.ts'
import type { Attributes } from '../../ui/attributes.ts'
import type { Html } from '../../ui/html.ts'

/** What a page shows: one state. */
export interface Screen {
  /** The state's name, for `data-state`. */
  readonly state: string
  /** HTTP status. */
  readonly status: number
  readonly title: Text
  readonly main: Html
  /** More attributes of `<main>` for the script. */
  readonly data?: Attributes
  /** Where its forms lead. Not known: wherever one may sign in. */
  readonly formActionCsp?: FormActionCsp
  /** Seconds, for `Retry-After`. */
  readonly retryAfter?: number
}

/** Where the forms lead that a person can reach from a page: its policy has to allow that, and no more. */
export interface FormActionCsp {
  /** Nothing signs in: forms lead to us alone. */
  readonly sameOriginOnly: boolean
  /** Origins over http where one signs in; https may be anywhere, since providers send on to each other. */
  readonly formOrigins: readonly string[]
}
