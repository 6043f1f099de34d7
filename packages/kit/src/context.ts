import type { RefusalDetail } from './run/refusal.ts'
import type { Code, Expectation, Verdict } from './spec/check-rules.ts'

/** What `fetch` of a context takes besides what every fetch takes. */
export interface Init extends RequestInit {
  /** Added to the URL. */
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON; the method is POST then, unless you say. */
  readonly json?: unknown
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
}

/** What the functions of an integration work with. Verdicts point to fields that there are. */
export interface Context<C, FieldName extends string = string> {
  /** What the person gave, and what sign-in brought. `authType` tells which fields there are. */
  readonly config: C
  /** The auth type that was chosen. */
  readonly authType: C extends { readonly authType: infer T } ? T : string
  /**
   * Sends a request below the base URL, or to a whole URL. Adds the credentials for declared hosts
   * only, waits out a 429 where that is quick, and hands redirects back. `${name}` in the URL is
   * filled and encoded.
   *
   * A request without an answer throws; CHECK tells it in plain words, so let it pass.
   */
  readonly fetch: (pathOrUrl: string, init?: Init) => Promise<Response>
  /**
   * What an answer says about the credentials, as a declared check judges it. Rules that look into the body need one that
   * nobody has read yet; judging leaves it to be read.
   */
  judge(response: Response, expectation?: Expectation<FieldName>): Promise<Verdict<FieldName>>
  /** A verdict of your own. `return context.refuse('insufficient_scope', { hint: '…' })` */
  refuse(code: Code, detail?: RefusalDetail<FieldName>): Verdict<FieldName>
}
