import { hashSecret } from '../../../access/auth/access-token.ts'
import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import {
  type Account,
  type AccountId,
  type AccountUpdate,
  acceptedAt,
  describeAccountChange,
  type NewAccount,
  NON_REFRESHABLE_DEFAULTS,
  serializeAccount,
  toNewAccount,
} from '../../../accounts/accounts/account.ts'
import {
  recordAccountChange,
  recordFactsChange,
  recordPermissionsChange,
} from '../../../accounts/accounts/account-records.ts'
import {
  readGrant,
  toGrantColumns,
  toScopesOwner,
} from '../../../accounts/accounts/account-scopes-store.ts'
import {
  createEncryptionContext,
  listConfigFields,
  redactConfig,
} from '../../../accounts/accounts/credentials/account-config.ts'
import { assertNotConnected } from '../../../accounts/accounts/find-same-identity.ts'
import { getRefreshedWith } from '../../../accounts/accounts/token-refresh/grant.ts'
import { getTokenTiming } from '../../../accounts/accounts/token-refresh/refresh-schedule.ts'
import { getEarliestExpiry } from '../../../integrations/oauth/token-response/token-result.ts'
import { recordClientAccepted } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Actor, IdempotencyClaim } from '../../../platform/record/change.ts'
import { record } from '../../../platform/record/record-store.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { type Id, newId } from '../../../platform/storage/id.ts'
import { addAccountToSession } from '../../attempts/attempt.ts'
import { assertBelowIdentifierLimit } from '../../links/link-policy.ts'
import { recordIfFull } from '../../links/record-link-change.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { CONFIRM_MS, type ConnectionResult, createSessionAttempt } from '../session/end-session.ts'
import type { OAuthSession, VerifiedTokens } from '../session/oauth-session.ts'
import {
  assertLinkAllows,
  assertStarterTokenActive,
  createSessionEndedError,
  type OAuthSessionContext,
  sealSessionSecrets,
} from '../session/session-context.ts'

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
): Promise<StoredConnection> {
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
  let replaced: Account | undefined
  const store = async (trx: Transaction) => {
    await assertStillAllowed(deps, context, verified.authType, trx)
    const { sessionId } = session
    const actor = { userId: context.access.userId, tokenId: session.tokenId, ...request }
    const ended = await deps.oauthSessions.end(trx, sessionId, { accountId }, deps.now(), newRow)
    if (ended === undefined) throw createSessionEndedError()
    const { connectSessionId } = ended
    const previousGrant =
      previous === undefined ? undefined : await readGrant(trx, toScopesOwner(previous))
    const row =
      connectSessionId === null
        ? newRow
        : { ...newRow, tags: await deps.visitedSessions.findTags(trx, connectSessionId) }
    if (previous === undefined && connectSessionId !== null && !addsAnother)
      await assertNotConnected(deps, trx, context.access, row)
    if (previous === undefined) await deps.accounts.insert(trx, row)
    else {
      const { accountIdentifier } = session
      const change = {
        ...credentials,
        ...(session.name === '' ? {} : { name: session.name }),
        ...(accountIdentifier === null ? {} : { accountIdentifier }),
      }
      replaced = await updateIfUnchanged(deps, context.access, previous, change, trx, now)
    }
    await recordConnection(trx, context, row, actor, connectSessionId)
    if (row.status !== 'pending')
      await recordPermissionsChange(trx, actor, now, accountId, previousGrant, verified.grant)
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
  return { accountId, confirmToken, replaced }
}

/** A stored connection. */
interface StoredConnection extends ConnectionResult {
  /** The account with the credentials that a reconnect has replaced. */
  readonly replaced: Account | undefined
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
  const { authType, status, updatedAt } = row
  const detail = { definitionId, linkId, authType, status }
  if (previous !== undefined)
    return recordReconnect(trx, actor, updatedAt, { ...previous, definitionId, linkId }, row)
  const action = 'account.created'
  // A pending account is published once it is confirmed.
  const type = status === 'pending' ? undefined : action
  const change = describeAccountChange(serializeAccount(row), type, { connectSessionId })
  await record(trx, actor, updatedAt, { action, detail, ...change })
}

/** Records that an account has new credentials. */
export async function recordReconnect(
  trx: Transaction,
  actor: Actor,
  now: number,
  previous: Pick<Account, 'accountId' | 'definitionId' | 'linkId' | 'identityId' | 'facts'>,
  {
    authType,
    status,
    identityId,
    facts,
  }: Pick<NewAccount, 'authType' | 'status' | 'identityId' | 'facts'>,
): Promise<void> {
  const { accountId, definitionId, linkId } = previous
  const action = 'account.reconnected'
  const data = { identityChanged: isIdentityChanged(previous.identityId, identityId) }
  const detail = { definitionId, linkId, authType, status, ...data }
  await recordAccountChange(trx, actor, now, { action, accountId, detail, type: action, data })
  await recordFactsChange(trx, actor, now, previous, facts)
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

type Credentials = Awaited<ReturnType<typeof buildCredentialColumns>>

async function buildCredentialColumns(
  deps: OAuthFlowDeps,
  { session, spec, type, app, secrets: { discovered } }: OAuthSessionContext,
  verified: VerifiedTokens,
  accountId: AccountId,
) {
  const { authType, config, identityId, identityLabel, expiresAt, refreshToken } = verified
  const isRefreshed = refreshToken !== undefined
  const refreshedWith = isRefreshed ? 'refresh_token' : getRefreshedWith(config, type)
  const ids = { workspaceId: session.workspaceId, accountId }
  const fields = listConfigFields(spec, authType)
  const isApiKeyType = authType !== session.authType
  return {
    authType,
    publicConfig: fields === undefined ? {} : redactConfig(config, fields),
    sealedConfig: await deps.vault.seal(createEncryptionContext(ids), JSON.stringify(config)),
    status: 'active' as const,
    statusReason:
      refreshedWith === undefined || isApiKeyType ? ('no_refresh_token' as const) : null,
    // Under an auth type for API keys, the OAuth app cannot refresh anything.
    oauthAppId: isApiKeyType ? null : app.oauthAppId,
    ...getTokenTiming(
      deps.now(),
      isApiKeyType ? null : getEarliestExpiry(config, expiresAt),
      null,
      refreshedWith,
    ),
    sealedHeaders: null,
    refreshFailures: 0,
    refreshSentAt: null,
    ...toGrantColumns(verified.grant, deps.now()),
    refreshedAt: null,
    resource: discovered?.resource ?? null,
    discoveredAt: discovered === undefined ? null : deps.now(),
    ...acceptedAt(deps.now()),
    identityId,
    identityLabel: identityLabel ?? null,
    facts: verified.facts ?? {},
  }
}

/**
 * Stores the new credentials of a reconnected account. A token refresh since the account was read is no conflict,
 * because the tokens are replaced anyway; a refresh in progress loses its lease. Returns the account as it was before.
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
): Promise<Account> {
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
  return row
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
function assertSameIdentity(
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
async function assertIdentifierLimit(
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
