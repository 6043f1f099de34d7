import type { Attributes } from '../../page/attributes.ts'
import type { Html } from '../../page/html.ts'
import type { Text } from '../../page/phrase.ts'
import type { FormTargets } from '../open/form-targets.ts'

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
  readonly targets?: FormTargets
  /** Seconds, for `Retry-After`. */
  readonly retryAfter?: number
}
