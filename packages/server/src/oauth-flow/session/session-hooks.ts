import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'

/** How an attempt ended: with an account, or for a reason. */
export type SessionResult =
  | { readonly accountId: string }
  | {
      /** An error code, or `other_browser`. */
      readonly code: string
      /** What to do about it, in the integration's words. */
      readonly hint?: string | undefined
    }

/** The page that people begin attempts on, if there is one. It decides itself which attempts are its own. */
export interface SessionHooks {
  /** Runs in the transaction that ends the attempt, so that page and attempt always tell the same. */
  onFinish(trx: Transaction, session: OAuthAttemptRow, result: SessionResult): Promise<void>
  /** Where the person goes on; undefined when the attempt was not begun on that page. */
  returnUrl(session: OAuthAttemptRow): Promise<string | undefined>
}
