import { recordEndpointTransition } from '../../../activity/webhooks/record-endpoint-transition.ts'
import { toWebhookEndpoint } from '../../../activity/webhooks/webhook-endpoint-row-store.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import type { Id } from '../../../platform/storage/id.ts'
import { KEY_LOST, type LostValue } from './lost-values-store.ts'

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
