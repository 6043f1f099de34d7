import type { Attributes } from '../../page/attributes.ts'
import type { Html } from '../../page/html.ts'
import type { Text } from '../../page/phrase.ts'

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
  /** Where its form leads to, beyond what every page may. */
  readonly formOrigins?: readonly string[]
  /** Seconds, for `Retry-After`. */
  readonly retryAfter?: number
}
