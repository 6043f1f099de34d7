import { hashSecret } from '../../../access/auth/access-token.ts'
import {
  type Account,
  type AccountId,
  acceptedAt,
  describeAccountChange,
  NON_REFRESHABLE_DEFAULTS,
  serializeAccount,
  toGrantColumns,
  toNewAccount,
} from '../../../accounts/accounts/account.ts'
import { recordPermissionsChange } from '../../../accounts/accounts/account-records.ts'
import { readGrant, toScopesOwner } from '../../../accounts/accounts/account-scopes-store.ts'
import {
  createEncryptionContext,
  listConfigFields,
  redactConfig,
} from '../../../accounts/accounts/credentials/account-config.ts'
import {
  AlreadyConnectedError,
  assertNotConnected,
} from '../../../accounts/accounts/find-same-identity.ts'
import { reconnectAccount } from '../../../accounts/accounts/reconnect-account.ts'
import { getRefreshedWith } from '../../../accounts/accounts/token-refresh/grant.ts'
import { getTokenTiming } from '../../../accounts/accounts/token-refresh/refresh-schedule.ts'
import type { ScopeGrant } from '../../../integrations/oauth/spec/scopes.ts'
import { getEarliestExpiry } from '../../../integrations/oauth/token-response/token-result.ts'
import { recordClientAccepted } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Actor } from '../../../platform/record/change.ts'
import { record } from '../../../platform/record/record-store.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { newId } from '../../../platform/storage/id.ts'
import { addAccountToSession } from '../../attempts/attempt.ts'
import type { EndedSubmission } from '../../attempts/submission-store.ts'
import { recordIfFull } from '../../links/record-link-change.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import {
  CONFIRM_MS,
  type ConnectionResult,
  createSessionAttempt,
  type EndingRequest,
  revokeReplacedGrant,
  type SessionOutcome,
} from '../session/end-session.ts'
import {
  deriveConfirmToken,
  type OAuthSession,
  type VerifiedTokens,
} from '../session/oauth-session.ts'
import {
  assertStillAllowed,
  createSessionEndedError,
  type OAuthSessionContext,
  sealSessionSecrets,
} from '../session/session-context.ts'

/** Data of the request that finishes a session. */
export interface FinishOptions extends EndingRequest {
  /** The confirmation token, used only if the session needs confirmation. */
  readonly confirmToken: string
  /** The person adds another connection of a user who is connected already. */
  readonly addsAnother?: boolean
}

/** The sign-in waits until its person has answered on the page of the session. */
export const ASKING = 'asking'

/**
 * Ends a sign-in whose tokens are verified: stores the connection, or keeps the tokens until its person or the host application
 * has decided.
 *
 * @param browserSecret what the confirmation token is derived from, unless the session has a secret for it
 * @throws as `storeConnection`
 */
export async function finishSignIn(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  verified: VerifiedTokens,
  { browserSecret, ...request }: EndingRequest & { readonly browserSecret: string },
): Promise<SessionOutcome | typeof ASKING> {
  const { account, session, secrets } = context
  if (verified.questions !== undefined) return ask(deps, context, verified)
  const secret = secrets.confirmSecret ?? browserSecret
  const options = { ...request, confirmToken: deriveConfirmToken(secret, session.sessionId) }
  if (account !== undefined && session.needsConfirmation)
    return storePendingReconnect(deps, context, account, verified, options)
  try {
    return await storeConnection(deps, context, verified, options)
  } catch (error) {
    if (error instanceof AlreadyConnectedError) return offerChoice(deps, context, verified, request)
    throw error
  }
}

/**
 * Stores the account and finishes the session in one transaction, which also checks that the session, its link, its
 * definition and its OAuth app are unchanged. A reconnect replaces the credentials of its account, and revokes the old ones.
 *
 * @throws AlreadyConnectedError in connect sessions; ApiError `identity_mismatch`, `concurrent_update`; as `assertStillAllowed`
 */
export async function storeConnection(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  verified: VerifiedTokens,
  { confirmToken: token, addsAnother = false, ...request }: FinishOptions,
): Promise<ConnectionResult> {
  const { session, account: previous, app, link } = context
  if (previous !== undefined) assertSameIdentity(previous, session, verified)
  const confirmToken = session.needsConfirmation && previous === undefined ? token : undefined
  const built = await buildAccount(deps, context, verified, confirmToken)
  const actor = { userId: context.access.userId, tokenId: session.tokenId, ...request }
  const { accountId, updatedAt: now } = built.account
  const accountIdentifier = built.account.accountIdentifier ?? previous?.accountIdentifier ?? null
  const attempt = createSessionAttempt(deps, session, request)
  attempt.tool = context.definition
  let replaced: Account | undefined
  const store = async (trx: Transaction) => {
    await assertStillAllowed(deps, trx, context, verified.authType)
    const { sessionId } = session
    const outcome = { accountId }
    const ended = await deps.oauthSessions.end(trx, sessionId, outcome, deps.now(), built.account)
    if (ended === undefined) throw createSessionEndedError()
    const connection = { ...built, grant: verified.grant, actor }
    if (previous === undefined)
      await insertConnection(deps, trx, context, connection, { ...ended, addsAnother })
    else replaced = await replaceConnection(deps, trx, context, connection, previous)
    await attempt.succeed(trx, { ...built.account, accountIdentifier }, { ended })
    if (app.failingSince !== null) await recordClientAccepted(deps, trx, app, now)
    if (previous === undefined && link !== undefined && link.maxAccounts !== null)
      await recordIfFull(deps, trx, actor, link, now)
  }
  const run = () => deps.database.transaction(store, { serializable: true })
  await (link === undefined ? run() : deps.withLimitLock(link, run))
  attempt.succeeded()
  if (replaced !== undefined) await revokeReplacedGrant(deps, context, replaced)
  return { accountId, confirmToken }
}

/** A verified sign-in in the transaction that stores it. */
interface Connection extends BuiltAccount {
  readonly grant: ScopeGrant | undefined
  readonly actor: Actor
}

/** A pending account is published once it is confirmed. */
async function insertConnection(
  deps: OAuthFlowDeps,
  trx: Transaction,
  { access, session }: OAuthSessionContext,
  { account, grant, actor }: Connection,
  { connectSessionId, addsAnother }: EndedSubmission & { readonly addsAnother: boolean },
): Promise<void> {
  const row =
    connectSessionId === null
      ? account
      : { ...account, tags: await deps.visitedSessions.findTags(trx, connectSessionId) }
  if (connectSessionId !== null && !addsAnother) await assertNotConnected(deps, trx, access, row)
  await deps.accounts.insert(trx, row)
  const { definitionId, linkId } = session
  const { accountId, authType, status, createdAt: now } = row
  const action = 'account.created'
  const type = status === 'pending' ? undefined : action
  await record(trx, actor, now, {
    action,
    detail: { definitionId, linkId, authType, status },
    ...describeAccountChange(serializeAccount(row), type, { connectSessionId }),
  })
  if (status !== 'pending')
    await recordPermissionsChange(trx, actor, now, accountId, undefined, grant)
}

/** Returns the account as it was before. */
async function replaceConnection(
  deps: OAuthFlowDeps,
  trx: Transaction,
  { access, session }: OAuthSessionContext,
  { account: { updatedAt: now }, credentials, grant, actor }: Connection,
  previous: Account,
): Promise<Account> {
  const { definitionId, linkId, name, accountIdentifier } = session
  const { accountId } = previous
  const grantBefore = await readGrant(trx, toScopesOwner(previous))
  const reconnect = { access, actor, definitionId, linkId, now }
  const replaced = await reconnectAccount(deps, trx, reconnect, previous, {
    ...credentials,
    ...(name === '' ? {} : { name }),
    ...(accountIdentifier === null ? {} : { accountIdentifier }),
  })
  await recordPermissionsChange(trx, actor, now, accountId, grantBefore, grant)
  return replaced
}

type BuiltAccount = Awaited<ReturnType<typeof buildAccount>>

/** The account that a sign-in makes. On a reconnect, only its credentials are stored. */
async function buildAccount(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  verified: VerifiedTokens,
  confirmToken: string | undefined,
) {
  const { session, account: previous } = context
  const now = deps.now()
  const accountId = previous?.accountId ?? newId('acc', now)
  const credentials = await buildCredentialColumns(deps, context, verified, accountId)
  const account = toNewAccount({
    ...NON_REFRESHABLE_DEFAULTS,
    accountId,
    workspaceId: session.workspaceId,
    definitionId: session.definitionId,
    linkId: session.linkId,
    accountIdentifier: session.accountIdentifier,
    tags: {},
    credentialVersion: 1,
    ...credentials,
    // The connect page does not ask for a name, so prefer the provider's.
    name: (session.tokenId === null ? verified.identityLabel : undefined) ?? session.name,
    status: confirmToken === undefined ? 'active' : 'pending',
    confirmHash: confirmToken === undefined ? null : hashSecret(confirmToken),
    confirmUntil: confirmToken === undefined ? null : now + CONFIRM_MS,
    createdAt: now,
    updatedAt: now,
  })
  return { account, credentials }
}

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
 * Keeps the tokens of a reconnect until the host application confirms it. The account keeps its old credentials until then.
 *
 * @throws ApiError `identity_mismatch`, `oauth_attempt_invalid`
 */
async function storePendingReconnect(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  account: Account,
  verified: VerifiedTokens,
  { confirmToken, ...request }: FinishOptions,
): Promise<ConnectionResult> {
  const { session, access } = context
  assertSameIdentity(account, session, verified)
  const keep = await sealTokens(deps, context, verified, CONFIRM_MS, hashSecret(confirmToken))
  const { accountId } = account
  await deps.database.transaction(async (trx) => {
    if (!(await keep(trx))) throw createSessionEndedError()
    // The form has ended: its page brings the token to the host application.
    const ended = await deps.oauthSessions.endSubmission(trx, session, { accountId }, deps.now())
    const actor = { userId: access.userId, tokenId: session.tokenId, ...request }
    if (ended.connectSessionId !== null)
      await addAccountToSession(deps, trx, actor, ended.connectSessionId, accountId)
  })
  return { accountId, confirmToken }
}

/** How long a person has to choose, as long as the cookie that binds the sign-in to the browser. */
export const CHOICE_MS = 10 * 60_000

/** Keeps the tokens of a sign-in until its person has answered what the provider left open. */
async function ask(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  verified: VerifiedTokens,
): Promise<typeof ASKING> {
  const keep = await sealTokens(deps, context, verified, CHOICE_MS)
  await deps.database.transaction(async (trx) => {
    if (!(await keep(trx))) throw createSessionEndedError()
  })
  return ASKING
}

const CODE = 'already_connected'

/**
 * Keeps the tokens of a sign-in until its person has chosen whether to update the connection of the same user or to add another
 * one. Nothing is connected so far, so a failed attempt is recorded.
 */
export async function offerChoice(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  verified: VerifiedTokens,
  request: EndingRequest,
): Promise<{ readonly code: typeof CODE }> {
  const { session, definition } = context
  const keep = await sealTokens(deps, context, verified, CHOICE_MS)
  const attempted = { ...session, accountId: null }
  const attempt = createSessionAttempt(deps, attempted, request, async (trx) => {
    // Otherwise the window was opened again, and another session has replaced this one.
    if (!(await keep(trx))) return undefined
    const running = await deps.oauthSessions.setChoice(trx, session.sessionId, CODE)
    return running ?? { connectSessionId: null }
  })
  attempt.tool = definition
  await attempt.fail(undefined, { code: CODE })
  return { code: CODE }
}

/**
 * Encrypts the tokens of a sign-in. The returned function keeps them in its session until the decision of the host application, with a
 * `confirmHash`, or else of its person. It resolves to false if the session has ended.
 */
async function sealTokens(
  { vault, confirmations, now }: OAuthFlowDeps,
  { session, secrets }: OAuthSessionContext,
  verified: VerifiedTokens,
  milliseconds: number,
  confirmHash: Uint8Array | null = null,
): Promise<(trx: Transaction) => Promise<boolean>> {
  const sealed = await sealSessionSecrets(vault, session, { ...secrets, proven: verified })
  const decision = { confirmHash, sealed, until: now() + milliseconds }
  return (trx) => confirmations.awaitDecision(trx, session.sessionId, decision)
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
