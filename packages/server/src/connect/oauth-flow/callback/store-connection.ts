import { hashSecret } from '../../../access/auth/hash-secret.ts'
import {
  type AccountId,
  type NewAccount,
  toNewAccount,
} from '../../../accounts/accounts/account.ts'
import {
  createEncryptionContext,
  listConfigFields,
  redactConfig,
} from '../../../accounts/accounts/credentials/account-config.ts'
import { NON_REFRESHABLE_DEFAULTS } from '../../../accounts/accounts/credentials/non-refreshable-defaults.ts'
import { assertNotConnected } from '../../../accounts/accounts/find-same-identity.ts'
import { recordAccountChange } from '../../../accounts/accounts/record-account-change.ts'
import {
  describeAccountChange,
  serializeLinkedAccount,
} from '../../../accounts/accounts/schemas/account.ts'
import { getTokenTiming } from '../../../accounts/accounts/token-refresh/refresh-schedule.ts'
import { getEarliestExpiry } from '../../../integrations/oauth/token-response/nested-token-fields.ts'
import { recordClientAccepted } from '../../../integrations/oauth-apps/record-client-state.ts'
import type { Actor, IdempotencyClaim } from '../../../platform/record/change.ts'
import { record } from '../../../platform/record/record-store.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { type Id, newId } from '../../../platform/storage/id.ts'
import { recordIfFull } from '../../links/record-link-change.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { createSessionAttempt } from '../session/end-session.ts'
import type { VerifiedTokens } from '../session/oauth-session.ts'
import {
  assertLinkAllows,
  assertStarterTokenActive,
  createSessionEndedError,
  type OAuthSessionContext,
} from '../session/session-context.ts'
import { CONFIRM_MS, type ConnectionResult } from '../session/session-outcome.ts'
import {
  assertIdentifierLimit,
  assertSameIdentity,
  updateReconnectedAccount,
} from './store-reconnect.ts'

/** Data of the request that finishes a session. */
export interface FinishOptions {
  readonly requestId: string
  /** The client's address as the audit trail records it. */
  readonly ip: string | null | undefined
  readonly idempotencyClaim?: IdempotencyClaim | undefined
  /** The confirmation token, used only if the session needs confirmation. */
  readonly confirmToken: string
  /** The person adds another connection of a user who is connected already. */
  readonly addsAnother?: boolean
}

/**
 * Stores the account and finishes the session in one transaction, which also checks that the session, its link, its
 * definition and its OAuth app are unchanged. A reconnect replaces the credentials of its account.
 *
 * @throws AlreadyConnectedError in connect sessions; ApiError `identity_mismatch`, `concurrent_update`,
 * `oauth_attempt_invalid`, `oauth_start_revoked`; as `assertLinkAllows` and `assertIdentifierLimit`
 */
export async function storeConnection(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  verified: VerifiedTokens,
  { confirmToken: token, addsAnother = false, ...request }: FinishOptions,
): Promise<ConnectionResult> {
  const { session, account: previous } = context
  if (previous !== undefined) assertSameIdentity(previous, session, verified)
  const now = deps.now()
  const accountId = previous?.accountId ?? newId('acc', now)
  const credentials = await buildCredentialColumns(deps, context, verified, accountId)
  // The connect page does not ask for a name, so prefer the provider's.
  const name = (session.tokenId === null ? verified.identityLabel : undefined) ?? session.name
  const confirmToken = session.needsConfirmation && previous === undefined ? token : undefined
  const newRow = createAccountRecord(
    context,
    { ...credentials, name },
    accountId,
    now,
    confirmToken,
  )
  const attempt = createSessionAttempt(deps, session, request)
  attempt.tool = context.definition
  const store = async (trx: Transaction) => {
    await assertStillAllowed(deps, context, verified.authType, trx)
    const { sessionId } = session
    const actor = { userId: context.access.userId, tokenId: session.tokenId, ...request }
    const ended = await deps.oauthSessions.end(trx, sessionId, { accountId }, deps.now(), newRow)
    if (ended === undefined) throw createSessionEndedError()
    const { connectSessionId } = ended
    const row =
      connectSessionId === null
        ? newRow
        : { ...newRow, tags: await deps.visitedSessions.findTags(trx, connectSessionId) }
    if (previous === undefined && connectSessionId !== null && !addsAnother)
      await assertNotConnected(deps, trx, context.access, row)
    if (previous === undefined) await deps.accounts.insert(trx, row)
    else await updateReconnectedAccount(deps, context, previous, credentials, trx, now)
    await recordConnection(trx, context, row, actor, connectSessionId)
    const accountIdentifier = row.accountIdentifier ?? previous?.accountIdentifier ?? null
    await attempt.succeed(trx, { ...row, accountIdentifier }, { ended })
    const { app, link } = context
    if (app.failingSince !== null) await recordClientAccepted(deps, trx, app, now)
    if (previous === undefined && link !== undefined && link.maxAccounts !== null)
      await recordIfFull(deps, trx, actor, link, now)
  }
  const run = () => deps.database.transaction(store, { serializable: true })
  await (context.link === undefined ? run() : deps.withLimitLock(context.link, run))
  attempt.succeeded()
  return { accountId, confirmToken }
}

async function recordConnection(
  trx: Transaction,
  context: OAuthSessionContext,
  row: NewAccount,
  actor: Actor,
  connectSessionId: Id<'cns'> | null,
): Promise<void> {
  const { session, account: previous } = context
  const { definitionId, linkId } = session
  const { accountId, authType, status, updatedAt } = row
  const detail = { definitionId, linkId, authType, status }
  if (previous !== undefined) {
    const action = 'account.reconnected'
    const data = { identityChanged: isIdentityChanged(previous.identityId, row.identityId) }
    return recordAccountChange(trx, actor, updatedAt, {
      action,
      accountId,
      detail: { ...detail, ...data },
      type: action,
      data,
    })
  }
  const action = 'account.created'
  // A pending account is published once it is confirmed.
  const type = status === 'pending' ? undefined : action
  const change = describeAccountChange(serializeLinkedAccount(row), type, { connectSessionId })
  await record(trx, actor, updatedAt, { action, detail, ...change })
}

/** Null if the identity before or the new one is unknown. */
function isIdentityChanged(before: string | null, after: string | null): boolean | null {
  return before === null || after === null ? null : before !== after
}

async function assertStillAllowed(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  authType: string,
  trx: Transaction,
): Promise<void> {
  const { session, access, definition, app, account } = context
  await assertStarterTokenActive(deps, trx, session)
  await assertLinkAllows(deps, trx, session, authType)
  if (account !== undefined) await assertIdentifierLimit(deps, context, account, trx)
  const { workspaceId, definitionId } = session
  const currentDefinition = await deps.definitions.findLive(trx, access, workspaceId, definitionId)
  const currentApp = await deps.oauthApps.find(trx, access, app.oauthAppId)
  if (
    currentDefinition?.bundleSha256 !== definition.bundleSha256 ||
    currentApp?.clientId !== app.clientId
  )
    throw createSessionEndedError()
}

function createAccountRecord(
  { session }: OAuthSessionContext,
  credentials: Credentials & Pick<NewAccount, 'name'>,
  accountId: AccountId,
  now: number,
  confirmToken: string | undefined,
): NewAccount {
  return toNewAccount({
    ...NON_REFRESHABLE_DEFAULTS,
    accountId,
    workspaceId: session.workspaceId,
    definitionId: session.definitionId,
    linkId: session.linkId,
    accountIdentifier: session.accountIdentifier,
    tags: {},
    credentialVersion: 1,
    ...credentials,
    status: confirmToken === undefined ? 'active' : 'pending',
    confirmHash: confirmToken === undefined ? null : hashSecret(confirmToken),
    confirmUntil: confirmToken === undefined ? null : now + CONFIRM_MS,
    createdAt: now,
    updatedAt: now,
  })
}

type Credentials = Pick<
  NewAccount,
  | 'authType'
  | 'publicConfig'
  | 'sealedConfig'
  | 'status'
  | 'statusReason'
  | 'oauthAppId'
  | 'tokenExpiresAt'
  | 'tokenTtlMs'
  | 'sealedHeaders'
  | 'refreshAt'
  | 'refreshFailures'
  | 'refreshSentAt'
  | 'identityId'
  | 'identityLabel'
>

async function buildCredentialColumns(
  deps: OAuthFlowDeps,
  { session, spec, app }: OAuthSessionContext,
  verified: VerifiedTokens,
  accountId: AccountId,
): Promise<Credentials> {
  const { authType, config, identityId, identityLabel, expiresAt, refreshToken } = verified
  const ids = { workspaceId: session.workspaceId, accountId }
  const fields = listConfigFields(spec, authType)
  const isApiKeyType = authType !== session.authType
  return {
    authType,
    publicConfig: fields === undefined ? {} : redactConfig(config, fields),
    sealedConfig: await deps.vault.seal(createEncryptionContext(ids), JSON.stringify(config)),
    status: 'active',
    statusReason: refreshToken === undefined || isApiKeyType ? 'no_refresh_token' : null,
    // Under an auth type for API keys, the OAuth app cannot refresh anything.
    oauthAppId: isApiKeyType ? null : app.oauthAppId,
    ...getTokenTiming(
      deps.now(),
      isApiKeyType ? null : getEarliestExpiry(config, expiresAt),
      null,
      refreshToken !== undefined,
    ),
    sealedHeaders: null,
    refreshFailures: 0,
    refreshSentAt: null,
    identityId,
    identityLabel: identityLabel ?? null,
  }
}
