import { configFields } from '../../accounts/credentials/config-fields.ts'
import { encryptionContext } from '../../accounts/credentials/encrypted-config.ts'
import { NON_REFRESHABLE_DEFAULTS } from '../../accounts/credentials/non-refreshable-defaults.ts'
import { redactConfig } from '../../accounts/credentials/redact-config.ts'
import { getTokenTiming } from '../../accounts/token-refresh/refresh-schedule.ts'
import { recordAudit } from '../../audit/audit-store.ts'
import { hashSecret } from '../../oauth/authorize/pkce.ts'
import { newId } from '../../storage/id.ts'
import type { AccountRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import {
  assertLinkAllows,
  assertStarterTokenActive,
  type OAuthSessionContext,
  sessionEnded,
} from '../session/session-context.ts'
import { CONFIRM_MS, type Connection } from '../session/session-outcome.ts'
import type { VerifiedTokens } from '../session/session-secrets.ts'
import {
  assertIdentifierLimit,
  assertSameIdentity,
  updateReconnectedAccount,
} from './store-reconnect.ts'

/** Data of the request that finishes a session. */
export interface FinishOptions {
  readonly requestId: string
  /** The confirmation token, used only if the session needs confirmation. */
  readonly confirmToken: string
}

/**
 * Stores the account and finishes the session in one transaction, which also checks that the session, its link, its
 * definition and its OAuth app are unchanged. A reconnect replaces the credentials of its account.
 *
 * @throws ApiError `identity_mismatch`, `concurrent_update`, `oauth_attempt_invalid`, `oauth_start_revoked`; as
 * `assertLinkAllows` and `assertIdentifierLimit`
 */
export async function storeConnection(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  verified: VerifiedTokens,
  { requestId, confirmToken: token }: FinishOptions,
): Promise<Connection> {
  const { session, account: previous } = context
  assertSameIdentity(context, verified)
  const now = deps.now()
  const accountId = previous?.account_id ?? newId('acc', now)
  const credentials = await credentialColumns(deps, context, verified, accountId)
  // The connect page does not ask for a name, so prefer the provider's.
  const name = (session.token_id === null ? verified.identityLabel : undefined) ?? session.name
  const confirmToken = session.needs_confirm === 1 && previous === undefined ? token : undefined
  const row = newAccountRow(context, { ...credentials, name }, accountId, now, confirmToken)
  const store = async (trx: Transaction) => {
    await assertStillAllowed(deps, context, verified.authType, trx)
    const { attempt_id: id } = session
    if (!(await deps.oauthSessions.finish(trx, id, 'connected', now, row))) throw sessionEnded()
    if (previous === undefined) await deps.accounts.insert(trx, row)
    else await updateReconnectedAccount(deps, context, previous, credentials, trx, now)
    await deps.sessionHooks.onFinish(trx, session, { accountId })
    await recordConnection(trx, context, row, requestId)
  }
  await deps.withLimitLock(context.link, () =>
    deps.database.transaction(store, { serializable: true }),
  )
  if (session.link_id !== null) deps.counters.succeeded(session.link_id)
  return { accountId, confirmToken }
}

async function recordConnection(
  trx: Transaction,
  { session, accessScope, account: previous }: OAuthSessionContext,
  row: AccountRow,
  requestId: string,
): Promise<void> {
  const actor = { userId: accessScope.userId, tokenId: session.token_id, requestId }
  await recordAudit(trx, actor, row.updated_at, {
    action: previous === undefined ? 'account.created' : 'account.reconnected',
    workspaceId: session.workspace_id,
    subject: row.account_id,
    detail: {
      definitionId: session.definition_id,
      linkId: session.link_id,
      authType: row.auth_type,
      status: row.status,
    },
  })
}

async function assertStillAllowed(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  authType: string,
  trx: Transaction,
): Promise<void> {
  const { session, accessScope, definition, app } = context
  await assertStarterTokenActive(deps, trx, session)
  await assertLinkAllows(deps, trx, session, authType)
  await assertIdentifierLimit(deps, context, trx)
  const { workspace_id: workspaceId, definition_id: definitionId } = session
  const currentDefinition = await deps.definitions.findLive(
    trx,
    accessScope,
    workspaceId,
    definitionId,
  )
  const currentApp = await deps.oauthApps.find(trx, accessScope, app.oauthAppId)
  if (
    currentDefinition?.bundle_sha256 !== definition.bundle_sha256 ||
    currentApp?.clientId !== app.clientId
  )
    throw sessionEnded()
}

type Credentials = Pick<
  AccountRow,
  | 'auth_type'
  | 'public_config'
  | 'sealed_config'
  | 'status'
  | 'status_reason'
  | 'oauth_app_id'
  | 'token_expires_at'
  | 'token_life_ms'
  | 'sealed_headers'
  | 'renew_at'
  | 'renew_failures'
  | 'renewal_sent_at'
  | 'identity_id'
>

async function credentialColumns(
  deps: OAuthFlowDeps,
  { session, spec, app }: OAuthSessionContext,
  verified: VerifiedTokens,
  accountId: string,
): Promise<Credentials> {
  const { authType, config, identityId, expiresAt, refreshToken } = verified
  const rowKey = { workspace_id: session.workspace_id, account_id: accountId }
  const fields = configFields(spec, authType)
  const isApiKeyType = authType !== session.auth_type
  return {
    auth_type: authType,
    public_config: JSON.stringify(fields === undefined ? {} : redactConfig(config, fields)),
    sealed_config: await deps.vault.seal(encryptionContext(rowKey), JSON.stringify(config)),
    status: 'active',
    status_reason: refreshToken === undefined ? 'no_refresh_token' : null,
    // Under an auth type for API keys, the OAuth app cannot refresh anything.
    oauth_app_id: isApiKeyType ? null : app.oauthAppId,
    ...getTokenTiming(
      deps.now(),
      isApiKeyType ? null : expiresAt,
      null,
      refreshToken !== undefined,
    ),
    sealed_headers: null,
    renew_failures: 0,
    renewal_sent_at: null,
    identity_id: identityId,
  }
}

function newAccountRow(
  { session }: OAuthSessionContext,
  credentials: Credentials & Pick<AccountRow, 'name'>,
  accountId: string,
  now: number,
  confirmToken: string | undefined,
): AccountRow {
  return {
    ...NON_REFRESHABLE_DEFAULTS,
    account_id: accountId,
    workspace_id: session.workspace_id,
    definition_id: session.definition_id,
    link_id: session.link_id,
    account_identifier: session.account_identifier,
    credential_version: 1,
    ...credentials,
    status: confirmToken === undefined ? 'active' : 'pending',
    confirm_hash: confirmToken === undefined ? null : hashSecret(confirmToken),
    confirm_until: confirmToken === undefined ? null : now + CONFIRM_MS,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
}
