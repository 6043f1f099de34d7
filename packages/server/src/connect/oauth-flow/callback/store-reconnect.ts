import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import { hashSecret } from '../../../access/auth/hash-secret.ts'
import type { Account, AccountUpdate } from '../../../accounts/accounts/account.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Actor } from '../../../platform/record/change.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { addAccountToSession } from '../../attempts/attempt.ts'
import { assertBelowIdentifierLimit } from '../../links/link-policy.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { OAuthSession, VerifiedTokens } from '../session/oauth-session.ts'
import {
  createSessionEndedError,
  type OAuthSessionContext,
  sealSessionSecrets,
} from '../session/session-context.ts'
import { CONFIRM_MS, type ConnectionResult } from '../session/session-outcome.ts'

/** Stores the new credentials of an account that a session reconnects. @throws ApiError as `updateIfUnchanged` */
export function updateReconnectedAccount(
  deps: Pick<OAuthFlowDeps, 'accounts'>,
  { session, access }: OAuthSessionContext,
  previous: Account,
  credentials: AccountUpdate,
  trx: Transaction,
  now: number,
): Promise<void> {
  const change: AccountUpdate = {
    ...credentials,
    ...(session.name === '' ? {} : { name: session.name }),
    ...(session.accountIdentifier === null ? {} : { accountIdentifier: session.accountIdentifier }),
  }
  return updateIfUnchanged(deps, access, previous, change, trx, now)
}

/**
 * Stores the new credentials of a reconnected account. A token refresh since the account was read is no conflict,
 * because the tokens are replaced anyway; a refresh in progress loses its lease.
 *
 * @throws ApiError `concurrent_update` when anything else has changed
 */
export async function updateIfUnchanged(
  deps: Pick<OAuthFlowDeps, 'accounts'>,
  access: WorkspaceAccess,
  previous: Account,
  credentials: AccountUpdate,
  trx: Transaction,
  now: number,
): Promise<void> {
  const row = await reloadIfUnchanged(deps, access, previous, trx)
  const change: AccountUpdate = {
    ...credentials,
    credentialVersion: (row ?? previous).credentialVersion + 1,
    leaseOwner: null,
    leaseUntil: null,
    confirmHash: null,
    confirmUntil: null,
    updatedAt: now,
  }
  if (row === undefined || !(await deps.accounts.update(trx, access, row, change)))
    throw new ApiError(
      'concurrent_update',
      'The account was modified or deleted by another request. The reconnect was not stored.',
    )
}

/**
 * Stores the new credentials of a reconnect in its session, encrypted, until the host application confirms it. The
 * account keeps its old credentials until then.
 *
 * @throws ApiError `identity_mismatch`, `oauth_attempt_invalid`
 */
export async function storePendingReconnect(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  verified: VerifiedTokens,
  { confirmToken, ...request }: Pick<Actor, 'ip' | 'requestId'> & { readonly confirmToken: string },
): Promise<ConnectionResult> {
  const { session, secrets, account, access } = context
  if (account === undefined) throw createSessionEndedError()
  assertSameIdentity(account, session, verified)
  const confirmation = {
    confirmHash: hashSecret(confirmToken),
    sealed: await sealSessionSecrets(deps.vault, session, { ...secrets, proven: verified }),
    until: deps.now() + CONFIRM_MS,
  }
  const { accountId } = account
  await deps.database.transaction(async (trx) => {
    if (!(await deps.confirmations.awaitDecision(trx, session.sessionId, confirmation)))
      throw createSessionEndedError()
    // The form has ended: its page brings the token to the host application.
    const ended = await deps.oauthSessions.endSubmission(trx, session, { accountId }, deps.now())
    const actor = { userId: access.userId, tokenId: session.tokenId, ...request }
    if (ended.connectSessionId !== null)
      await addAccountToSession(deps, trx, actor, ended.connectSessionId, accountId)
  })
  return { accountId, confirmToken }
}

/**
 * Checks that the same provider user signed in on a reconnect, unless a different user is allowed.
 *
 * @throws ApiError `identity_mismatch`, also when the integration no longer reports the identity
 */
export function assertSameIdentity(
  { identityId: expected }: Account,
  { allowsOtherIdentity }: OAuthSession,
  { identityId }: VerifiedTokens,
): void {
  if (expected === null || allowsOtherIdentity) return
  if (identityId !== expected)
    throw new ApiError(
      'identity_mismatch',
      'A different user signed in. The account was not changed.',
    )
}

/**
 * Checks the limit of a link for the new `accountIdentifier` when a reconnect changes it.
 *
 * @throws ApiError `link_identifier_full`
 */
export async function assertIdentifierLimit(
  deps: Pick<OAuthFlowDeps, 'accounts' | 'links'>,
  { session, access }: OAuthSessionContext,
  account: Account,
  trx: Transaction,
): Promise<void> {
  const newIdentifier = session.accountIdentifier
  if (
    account.linkId === null ||
    newIdentifier === null ||
    account.accountIdentifier === newIdentifier
  )
    return
  const link = await deps.links.findIn(trx, access, account.linkId)
  if (link !== undefined) await assertBelowIdentifierLimit(deps, trx, link, newIdentifier)
}

/** Undefined when more than the tokens has changed. A token refresh does not change `updated_at`. */
async function reloadIfUnchanged(
  deps: Pick<OAuthFlowDeps, 'accounts'>,
  access: WorkspaceAccess,
  previous: Account,
  trx: Transaction,
): Promise<Account | undefined> {
  const row = await deps.accounts.findWithCredentials(trx, access, previous.accountId)
  if (row === undefined || row.deletedAt !== null) return undefined
  const isSame =
    row.credentialVersion === previous.credentialVersion || row.updatedAt === previous.updatedAt
  return isSame ? row : undefined
}
