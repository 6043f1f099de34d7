import type { Text } from '../../i18n/localized-text.ts'
import type { Attributes, Html } from '../../ui/html.ts'

/** One state of the page. */
export interface Screen {
  /** Name of the state, for `data-state`. */
  readonly state: string
  /** HTTP status. */
  readonly status: number
  readonly title: Text
  readonly main: Html
  /** Further attributes of `<main>`, for the script. */
  readonly data?: Attributes
  /** Undefined when unknown: any https origin is allowed. */
  readonly formActionCsp?: FormActionCsp
  /** Seconds, for `Retry-After`. */
  readonly retryAfter?: number
}

/** The form targets that the CSP of a page must allow. */
export interface FormActionCsp {
  /** No sign-in is offered, so forms are submitted to us only. */
  readonly sameOriginOnly: boolean
  /** Authorization origins over http. Any https origin is allowed, since providers redirect to each other. */
  readonly formOrigins: readonly string[]
}
