import type { AccountId } from '../../../accounts/accounts/account.ts'
import { ERRORS, type ErrorCode } from '../../../platform/error-codes.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { deriveConfirmToken } from './browser-secret.ts'
import type { OAuthSession } from './oauth-session.ts'
import { AWAITING_DECISION, CALLBACK_GRACE_MS } from './oauth-session.ts'
import { getWorkspaceAccess } from './session-context.ts'

/**
 * Returns how a session ended, for the browser that it is bound to. `running`: the callback is still being processed.
 * Undefined: the browser has not returned from the provider. A session whose callback was interrupted by the end of a
 * process counts as invalid: nothing was stored, and the user has to start again.
 */
export async function getSessionOutcome(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  browserSecret: string,
): Promise<SessionOutcome | 'running' | undefined> {
  const { accountId, sessionId, outcome } = session
  if (outcome === null) return createUnfinishedOutcome(session, deps.now())
  const isAwaitingConfirmation = outcome === AWAITING_DECISION && session.expiresAt > deps.now()
  if (accountId === null || (outcome !== 'connected' && !isAwaitingConfirmation))
    return { code: toErrorCode(outcome) }
  const account = await deps.accounts.find(getWorkspaceAccess(session), accountId)
  if (account === undefined || account.deletedAt !== null) return { code: 'oauth_attempt_invalid' }
  // Omit a token that was already used for confirmation.
  const needsConfirmation = isAwaitingConfirmation || account.status === 'pending'
  return {
    accountId,
    confirmToken: needsConfirmation ? deriveConfirmToken(browserSecret, sessionId) : undefined,
  }
}

function createUnfinishedOutcome({ claimedAt }: OAuthSession, now: number) {
  if (claimedAt === null) return undefined
  return now - claimedAt < CALLBACK_GRACE_MS
    ? 'running'
    : ({ code: 'oauth_attempt_invalid' } as const)
}

/**
 * The code whose message the user sees. Two outcomes have their own message, although the host receives one code for
 * both.
 */
export function getDisplayCode({ outcome }: OAuthSession, code: ErrorCode): string {
  return outcome === 'other_browser' || outcome === 'window_replaced' ? outcome : code
}

/** Maps internal outcomes, which are not error codes, to `oauth_attempt_invalid`. */
function toErrorCode(outcome: string): ErrorCode {
  return Object.hasOwn(ERRORS, outcome) ? (outcome as ErrorCode) : 'oauth_attempt_invalid'
}

/** The result of a session: a connection or an error. */
export type SessionOutcome = ConnectionResult | { readonly code: ErrorCode }

/** The account that a session created or reconnected. */
export interface ConnectionResult {
  readonly accountId: AccountId
  /** Sent to the host application in the query of `redirectURL`; undefined when no confirmation is needed. */
  readonly confirmToken: string | undefined
}

/** How long the host application has to confirm. */
export const CONFIRM_MS = 15 * 60_000
