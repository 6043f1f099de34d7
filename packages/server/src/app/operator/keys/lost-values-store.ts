import type { AccountId } from '../../../accounts/accounts/account.ts'
import { recordAccountChange } from '../../../accounts/accounts/account-records.ts'
import { recordEndpointTransition } from '../../../activity/webhooks/update-webhook-endpoint.ts'
import { toWebhookEndpoint } from '../../../activity/webhooks/webhook-endpoint-store.ts'
import { SYSTEM_ACTOR } from '../../../platform/record/change.ts'
import { record } from '../../../platform/record/record-store.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import type { Id } from '../../../platform/storage/id.ts'

/** The reason of accounts and webhook endpoints whose secrets were lost with a key. */
export const KEY_LOST = 'key_lost'

/** A value that cannot be opened any more: its table, the id of its row, and its workspace. */
export interface LostValue {
  readonly rowId: string
  readonly workspaceId: Id<'wsp'>
  readonly sealed: Uint8Array
  readonly now: number
  /** Seals what takes the place of the value, with the new data key. */
  readonly seal: (plaintext: string) => Uint8Array
}

/** The account has to be connected again. Its public fields are what is left of the configuration. */
export async function loseAccount(trx: Transaction, value: LostValue): Promise<boolean> {
  const accountId = value.rowId as AccountId
  const { now } = value
  const row = await trx
    .selectFrom('accounts')
    .select(['status', 'public_config', 'confirm_until'])
    .where('account_id', '=', accountId)
    .where('sealed_config', '=', value.sealed)
    .executeTakeFirst()
  if (row === undefined) return false
  const isPending = row.status === 'pending'
  await trx
    .updateTable('accounts')
    .set({ sealed_config: value.seal(row.public_config ?? '{}'), updated_at: now })
    .set((eb) => ({ credential_version: eb('credential_version', '+', 1) }))
    // An account without credentials must not be confirmed: it ends like one that was not confirmed in time.
    .set(
      isPending
        ? { confirm_until: now }
        : { status: 'needs_reauth', status_reason: KEY_LOST, status_since: now },
    )
    .where('account_id', '=', accountId)
    .execute()
  await trx
    .updateTable('account_tokens')
    .set({ refresh_at: null, refresh_sent_at: null, sealed_headers: null })
    .set({ lease_owner: null, lease_until: null })
    .where('workspace_id', '=', value.workspaceId)
    .where('account_id', '=', accountId)
    .execute()
  if (isPending) return true
  await recordAccountChange(trx, SYSTEM_ACTOR, now, {
    action: 'account.needs_reauth',
    accountId,
    type: 'account.needs_reauth',
    detail: { reason: KEY_LOST },
    data: { previous: { status: row.status }, reason: KEY_LOST },
  })
  return true
}

/** A cache: the next use obtains the headers again. */
export async function loseHeaders(trx: Transaction, value: LostValue): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('account_tokens')
    .set({ sealed_headers: null })
    .where('workspace_id', '=', value.workspaceId)
    .where('account_id', '=', value.rowId as AccountId)
    .where('sealed_headers', '=', value.sealed)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Tokens that no account has stored yet. */
export async function loseRotation(trx: Transaction, { rowId }: LostValue): Promise<boolean> {
  await trx.deleteFrom('rotations').where('rotation_id', '=', rowId).execute()
  return true
}

/** No endpoint may receive what takes the place of the secret: requests get `oauth_app_secret_required` until it is entered. */
export async function loseClientSecret(trx: Transaction, value: LostValue): Promise<boolean> {
  const { rowId: subject, workspaceId, now } = value
  const { numUpdatedRows } = await trx
    .updateTable('oauth_apps')
    .set({ sealed_secret: value.seal(''), updated_at: now })
    .set({ secret_origins: '[]', allowed_hosts: null })
    .where('oauth_app_id', '=', subject as Id<'oap'>)
    .where('sealed_secret', '=', value.sealed)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  const detail = { reason: KEY_LOST }
  await record(trx, SYSTEM_ACTOR, now, {
    action: 'oauth_app.updated',
    workspaceId,
    subject,
    detail,
  })
  return true
}

/** A sign-in at a provider: the person starts again. */
export async function loseAttempt(trx: Transaction, { rowId, now }: LostValue): Promise<boolean> {
  await trx
    .updateTable('oauth_sessions')
    .set({ sealed: null, expires_at: now })
    .where('attempt_id', '=', rowId as Id<'att'>)
    .execute()
  return true
}

/** The session asked for some fields only because it had the others: it ends. */
export async function loseGivenConfig(
  trx: Transaction,
  { rowId, now }: LostValue,
): Promise<boolean> {
  await trx
    .updateTable('connect_sessions')
    .set({ sealed_config: null, config_fields: '[]', updated_at: now })
    .set((eb) => ({
      expires_at: eb.case().when('expires_at', '<', now).then(eb.ref('expires_at')).else(now).end(),
    }))
    .where('connect_session_id', '=', rowId as Id<'cns'>)
    .execute()
  return true
}

/** Its session stays: another URL takes another job. */
export async function loseReconnectUrl(trx: Transaction, { rowId }: LostValue): Promise<boolean> {
  const [bulkJobId = '', accountId = ''] = rowId.split(' ')
  await trx
    .updateTable('bulk_job_items')
    .set({ sealed_url: null, url_until: null })
    .where('bulk_job_id', '=', bulkJobId as Id<'blk'>)
    .where('account_id', '=', accountId as AccountId)
    .execute()
  return true
}

/** The agent asks again. */
export async function loseApproval(trx: Transaction, { rowId }: LostValue): Promise<boolean> {
  await trx
    .deleteFrom('agent_approvals')
    .where('agent_approval_id', '=', rowId as Id<'aap'>)
    .execute()
  return true
}

/** Its entry in the request log stays. */
export async function loseExchange(trx: Transaction, { rowId }: LostValue): Promise<boolean> {
  await trx
    .deleteFrom('debug_exchanges')
    .where('request_log_id', '=', rowId as Id<'req'>)
    .execute()
  return true
}

/** Whom an unfinished erasure is for is unknown: it has to be requested again. */
export async function loseErasure(trx: Transaction, value: LostValue): Promise<boolean> {
  await trx
    .deleteFrom('erasures')
    .where('workspace_id', '=', value.workspaceId)
    .where('identifier_hash', '=', Buffer.from(value.rowId, 'hex'))
    .where('sealed_identifier', '=', value.sealed)
    .execute()
  return true
}

/** Keys of the installation are created again when they are needed. */
export async function loseInstanceKey(trx: Transaction, value: LostValue): Promise<boolean> {
  await trx.deleteFrom('instance_keys').where('name', '=', value.rowId).execute()
  return true
}

/** The receiver would refuse every other signature: the endpoint is disabled, with new secrets that its owner does not have. */
export async function loseSigningSecrets(
  trx: Transaction,
  value: LostValue,
  secrets: { readonly plaintext: string; readonly publicKey: string },
): Promise<boolean> {
  const row = await trx
    .updateTable('webhook_endpoints')
    .set({ sealed_secrets: value.seal(secrets.plaintext), state: 'disabled' })
    .set({ public_keys: JSON.stringify([secrets.publicKey]), state_reason: KEY_LOST })
    .set({ due_at: null, retry_at: null, lease_owner: null, lease_until: null })
    .set({ updated_at: value.now })
    .where('endpoint_id', '=', value.rowId as Id<'whe'>)
    .where('sealed_secrets', '=', value.sealed)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return false
  await recordEndpointTransition(trx, toWebhookEndpoint(row), 'disabled', value.now)
  return true
}

/** The headers that the owner has set. The endpoint is disabled for its secrets. */
export async function loseEndpointHeaders(trx: Transaction, value: LostValue): Promise<boolean> {
  await trx
    .updateTable('webhook_endpoints')
    .set({ sealed_headers: null, header_names: '[]', updated_at: value.now })
    .where('endpoint_id', '=', value.rowId as Id<'whe'>)
    .execute()
  return true
}
