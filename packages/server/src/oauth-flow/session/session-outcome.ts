import { createHmac } from 'node:crypto'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { AWAITING_CONFIRMATION, CALLBACK_GRACE_MS } from '../oauth-session-store.ts'
import { getAccessScope } from './session-context.ts'

/**
 * How an attempt ended, for the browser that went through it. `running`: what it brought is still being proven. Undefined: it did
 * not come back from the provider. When a node was killed over it nothing was stored, and it has to be started again.
 */
export async function getSessionOutcome(
  deps: OAuthFlowDeps,
  session: OAuthAttemptRow,
  browserSecret: string,
): Promise<SessionOutcome | 'running' | undefined> {
  const { account_id: accountId, attempt_id: sessionId, outcome } = session
  if (outcome === null) return unfinishedOutcome(session, deps.now())
  const isAwaitingConfirmation =
    outcome === AWAITING_CONFIRMATION && session.expires_at > deps.now()
  if (accountId === null || (outcome !== 'connected' && !isAwaitingConfirmation))
    return { code: toErrorCode(outcome) }
  const account = await deps.accounts.find(getAccessScope(session), accountId)
  if (account === undefined || account.deleted_at !== null) return { code: 'oauth_attempt_invalid' }
  // Once it is confirmed the token is of no use, and a host that is given it again would only be told so.
  const needsConfirmation = isAwaitingConfirmation || account.status === 'pending'
  return {
    accountId,
    confirmToken: needsConfirmation ? deriveConfirmToken(browserSecret, sessionId) : undefined,
  }
}

function unfinishedOutcome({ claimed_at: claimedAt }: OAuthAttemptRow, now: number) {
  if (claimedAt === null) return undefined
  return now - claimedAt < CALLBACK_GRACE_MS
    ? 'running'
    : ({ code: 'oauth_attempt_invalid' } as const)
}

/** What the person is told of a failure: two outcomes have words of their own, though a host hears one code for both. */
export function displayCode({ outcome }: OAuthAttemptRow, code: ErrorCode): string {
  return outcome === 'other_browser' || outcome === 'window_replaced' ? outcome : code
}

/** Some outcomes are words among ourselves. */
function toErrorCode(outcome: string): ErrorCode {
  return Object.hasOwn(ERRORS, outcome) ? (outcome as ErrorCode) : 'oauth_attempt_invalid'
}

/** How an attempt ended. */
export type SessionOutcome = Connection | { readonly code: ErrorCode }

/** What a finished attempt made. */
export interface Connection {
  readonly accountId: string
  /** Goes to the host by way of redirectURL; undefined when nobody needs to confirm. */
  readonly confirmToken: string | undefined
}

/** How long the host has to confirm. */
export const CONFIRM_MS = 15 * 60_000

/**
 * The token with which the host confirms what this browser brought by this attempt. It is made of the browser's own secret of
 * 256 bits, which nobody else has, so that the same browser can be given it again: after a reload, or when an answer of ours was
 * lost on its way.
 */
export function deriveConfirmToken(browserSecret: string, sessionId: string): string {
  return createHmac('sha256', browserSecret).update(`confirm ${sessionId}`).digest('base64url')
}
