import { configFields } from '../../account/config/config-fields.ts'
import { publicConfig } from '../../account/config/public-config.ts'
import { sealedPlace } from '../../account/config/sealed-config.ts'
import { UNRENEWED } from '../../account/connect-account.ts'
import { tokenTimes } from '../../account/renewal/token-times.ts'
import { recordAudit } from '../../audit/audit-store.ts'
import { ApiError } from '../../errors.ts'
import { hashSecret } from '../../oauth/authorize/random.ts'
import { newId } from '../../storage/id.ts'
import type { AccountRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import {
  type AttemptContext,
  admitLink,
  admitStarter,
  hasEnded,
} from '../attempt/attempt-context.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { admitMove } from './admit-move.ts'
import type { ProvenTokens } from './prove-tokens.ts'
import { replaceAccount } from './replace-account.ts'

/** What a finished attempt made. */
export interface Connection {
  readonly accountId: string
  /** Goes to the host by way of redirectURL; undefined when nobody needs to confirm. */
  readonly confirmToken: string | undefined
}

/** What is known of the request that finishes an attempt. */
export interface Finishing {
  readonly requestId: string
  /** What the host will confirm with, where it has to. */
  readonly confirmToken: string
}

/** How long the host has to confirm. */
export const CONFIRM_MS = 15 * 60_000

/**
 * Stores the account and ends the attempt, in one transaction: the link is open, definition and app are there, and
 * nobody else has ended the attempt. A reconnect replaces the credentials of the same account.
 *
 * @throws ApiError `identity_mismatch`, `concurrent_update`, `oauth_start_revoked`, and what
 * admitLink and admitMove throw
 */
export async function storeConnection(
  deps: ConnectDeps,
  context: AttemptContext,
  proven: ProvenTokens,
  { requestId, confirmToken: token }: Finishing,
): Promise<Connection> {
  const { attempt, reach, account: before } = context
  refuseOtherIdentity(context, proven)
  const now = deps.now()
  const accountId = before?.account_id ?? newId('acc', now)
  const credentials = await credentialColumns(deps, context, proven, accountId)
  // On a page of ours nobody was asked for a name: the provider's own is the best.
  const name = (attempt.token_id === null ? proven.identityLabel : undefined) ?? attempt.name
  const confirmToken = attempt.needs_confirm === 1 && before === undefined ? token : undefined
  const row = newRow(context, { ...credentials, name }, accountId, now, confirmToken)
  const store = async (trx: Transaction) => {
    await admit(deps, context, proven.authType, trx)
    const { attempt_id: id } = attempt
    if (!(await deps.attempts.finish(trx, id, 'connected', now, row))) throw hasEnded()
    if (before === undefined) await deps.accounts.insert(trx, row)
    else await replaceAccount(deps, context, before, credentials, trx, now)
    await deps.afterAttempt.settle(trx, attempt, { accountId })
    await recordAudit(trx, { userId: reach.userId, tokenId: attempt.token_id, requestId }, now, {
      action: before === undefined ? 'account.created' : 'account.reconnected',
      workspaceId: attempt.workspace_id,
      subject: accountId,
      detail: {
        definitionId: attempt.definition_id,
        linkId: attempt.link_id,
        authType: proven.authType,
        status: row.status,
      },
    })
  }
  await deps.inTurn(context.link, () => deps.database.transaction(store, { serializable: true }))
  if (attempt.link_id !== null) deps.counters.succeeded(attempt.link_id)
  return { accountId, confirmToken }
}

/** @throws ApiError `identity_mismatch` when a reconnect brought somebody else, or nobody can tell any more */
export function refuseOtherIdentity(
  { attempt, account }: AttemptContext,
  proven: ProvenTokens,
): void {
  const known = account?.identity_id ?? null
  if (known === null || attempt.allow_other_identity === 1) return
  if (proven.identityId !== known)
    throw new ApiError(
      'identity_mismatch',
      'Somebody else signed in than the one that the account belongs to. It was left as it is.',
    )
}

async function admit(
  deps: ConnectDeps,
  context: AttemptContext,
  authType: string,
  trx: Transaction,
): Promise<void> {
  const { attempt, reach, definition, app } = context
  await admitStarter(deps, trx, attempt)
  await admitLink(deps, trx, attempt, authType)
  await admitMove(deps, context, trx)
  const { workspace_id: workspaceId, definition_id: definitionId } = attempt
  const live = await deps.definitions.findLive(trx, reach, workspaceId, definitionId)
  const client = await deps.oauthApps.find(trx, reach, app.oauth_app_id)
  if (live?.bundle_sha256 !== definition.bundle_sha256 || client?.client_id !== app.client_id)
    throw hasEnded()
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
  deps: ConnectDeps,
  { attempt, spec, app }: AttemptContext,
  proven: ProvenTokens,
  accountId: string,
): Promise<Credentials> {
  const { authType, config, identityId, expiresAt, refreshToken } = proven
  const place = { workspace_id: attempt.workspace_id, account_id: accountId }
  const fields = configFields(spec, authType)
  const isForKeys = authType !== attempt.auth_type
  return {
    auth_type: authType,
    public_config: JSON.stringify(fields === undefined ? {} : publicConfig(config, fields)),
    sealed_config: await deps.vault.seal(sealedPlace(place), JSON.stringify(config)),
    status: 'active',
    status_reason: refreshToken === undefined ? 'no_refresh_token' : null,
    // Under an auth type for keys there is nothing that the app could renew.
    oauth_app_id: isForKeys ? null : app.oauth_app_id,
    ...tokenTimes(deps.now(), isForKeys ? null : expiresAt, null, refreshToken !== undefined),
    sealed_headers: null,
    renew_failures: 0,
    renewal_sent_at: null,
    identity_id: identityId,
  }
}

function newRow(
  { attempt }: AttemptContext,
  credentials: Credentials & Pick<AccountRow, 'name'>,
  accountId: string,
  now: number,
  confirmToken: string | undefined,
): AccountRow {
  return {
    ...UNRENEWED,
    account_id: accountId,
    workspace_id: attempt.workspace_id,
    definition_id: attempt.definition_id,
    link_id: attempt.link_id,
    account_identifier: attempt.account_identifier,
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
