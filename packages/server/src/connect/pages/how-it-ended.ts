import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { reachOf } from '../attempt/attempt-context.ts'
import { AT_WORK_MS, HELD } from '../attempt/attempt-store.ts'
import type { Outcome } from '../callback/oauth-callback.ts'
import { confirmTokenOf } from '../confirm/confirm-token.ts'
import type { ConnectDeps } from '../connect-deps.ts'

/**
 * How an attempt ended, for the browser that went through it. `running`: what it brought is still being proven. Undefined: it did
 * not come back from the provider. When a node was killed over it nothing was stored, and it has to be started again.
 */
export async function howItEnded(
  deps: ConnectDeps,
  attempt: OAuthAttemptRow,
  browserSecret: string,
): Promise<Outcome | 'running' | undefined> {
  const { account_id: accountId, attempt_id: attemptId, outcome } = attempt
  if (outcome === null) return unknownEnd(attempt, deps.now())
  const isHeld = outcome === HELD && attempt.expires_at > deps.now()
  if (accountId === null || (outcome !== 'connected' && !isHeld)) return { code: asCode(outcome) }
  const account = await deps.accounts.find(reachOf(attempt), accountId)
  if (account === undefined || account.deleted_at !== null) return { code: 'oauth_attempt_invalid' }
  // Once it is confirmed the token is of no use, and a host that is given it again would only be told so.
  const isWanted = isHeld || account.status === 'pending'
  return {
    accountId,
    confirmToken: isWanted ? confirmTokenOf(browserSecret, attemptId) : undefined,
  }
}

function unknownEnd({ claimed_at: since }: OAuthAttemptRow, now: number) {
  if (since === null) return undefined
  return now - since < AT_WORK_MS ? 'running' : ({ code: 'oauth_attempt_invalid' } as const)
}

/** What the person is told of a failure: two outcomes have words of their own, though a host hears one code for both. */
export function toldCode({ outcome }: OAuthAttemptRow, code: ErrorCode): string {
  return outcome === 'other_browser' || outcome === 'window_replaced' ? outcome : code
}

/** Some outcomes are words among ourselves. */
function asCode(outcome: string): ErrorCode {
  return Object.hasOwn(ERRORS, outcome) ? (outcome as ErrorCode) : 'oauth_attempt_invalid'
}
