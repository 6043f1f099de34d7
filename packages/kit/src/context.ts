import type { CheckFailureDetails } from './spec/check-failure.ts'
import type { CheckResult, Code, Expectation } from './spec/check-rules.ts'

/** Options of a context's `fetch` in addition to the standard ones. */
export interface RequestOptions extends RequestInit {
  /** Added to the URL. */
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON; the method then defaults to POST. */
  readonly json?: unknown
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
}

/** The argument of an integration's functions. Check results may point to existing fields only. */
export interface Context<C, FieldName extends string = string> {
  /** The user's input and the values from sign-in. `authType` determines which fields exist. */
  readonly config: C
  /** The selected auth type. */
  readonly authType: C extends { readonly authType: infer T } ? T : string
  /**
   * Sends a request to a path below the base URL, or to an absolute URL. Adds the credentials for declared hosts only,
   * retries after a 429 if the wait is short, and returns redirects. `${name}` in the URL is replaced and encoded.
   *
   * A request without a response throws. Do not catch it: CHECK reports it in plain words.
   */
  readonly fetch: (pathOrUrl: string, init?: RequestOptions) => Promise<Response>
  /**
   * Maps a response to a check result, like a declared check. Rules for the body need one that has not been read; it
   * can still be read afterwards.
   */
  checkResponse(
    response: Response,
    expectation?: Expectation<FieldName>,
  ): Promise<CheckResult<FieldName>>
  /** A failed check result. `return context.refuse('insufficient_scope', { hint: '…' })` */
  refuse(code: Code, detail?: CheckFailureDetails<FieldName>): CheckResult<FieldName>
}
