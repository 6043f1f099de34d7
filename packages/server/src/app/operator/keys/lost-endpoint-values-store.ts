import { recordEndpointTransition } from '../../../activity/webhooks/record-endpoint-transition.ts'
import {
  ENDPOINT_CHECKSUM,
  toWebhookEndpoint,
} from '../../../activity/webhooks/webhook-endpoint-row-store.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import type { Id } from '../../../platform/storage/id.ts'
import type { WithChecksum } from '../../../platform/storage/row-checksum.ts'
import type { WebhookEndpointRow } from '../../../platform/storage/tables.ts'
import { KEY_LOST, type LostValue } from './lost-values-store.ts'

/** The receiver would refuse every other signature: the endpoint is disabled, with new secrets that its owner does not have. */
export async function loseSigningSecrets(
  trx: Transaction,
  value: LostValue,
  secrets: { readonly plaintext: string; readonly publicKey: string },
): Promise<boolean> {
  const rows = await trx
    .updateTable('webhook_endpoints')
    .set({ sealed_secrets: value.seal(secrets.plaintext), state: 'disabled' })
    .set({ state_reason: KEY_LOST })
    .set({ due_at: null, retry_at: null, lease_owner: null, lease_until: null })
    .set({ updated_at: value.now })
    .where('endpoint_id', '=', value.rowId as Id<'whe'>)
    .where('sealed_secrets', '=', value.sealed)
    .returningAll()
    .execute()
  const [row] = await ENDPOINT_CHECKSUM.addTo(trx, rows)
  if (row === undefined) return false
  const changed = await changeEndpoint(trx, row, {
    public_keys: JSON.stringify([secrets.publicKey]),
  })
  if (!ENDPOINT_CHECKSUM.isDamaged(row))
    await recordEndpointTransition(trx, toWebhookEndpoint(changed), 'disabled', value.now)
  return true
}

/** The headers that the owner has set. The endpoint is disabled for its secrets. */
export async function loseEndpointHeaders(trx: Transaction, value: LostValue): Promise<boolean> {
  const rows = await trx
    .updateTable('webhook_endpoints')
    .set({ sealed_headers: null, updated_at: value.now })
    .where('endpoint_id', '=', value.rowId as Id<'whe'>)
    .returningAll()
    .execute()
  const [row] = await ENDPOINT_CHECKSUM.addTo(trx, rows)
  if (row !== undefined) await changeEndpoint(trx, row, { header_names: '[]' })
  return true
}

async function changeEndpoint(
  trx: Transaction,
  row: WithChecksum<WebhookEndpointRow>,
  change: Partial<WebhookEndpointRow>,
): Promise<WebhookEndpointRow> {
  const changed = { ...row, ...change }
  await trx
    .updateTable('webhook_endpoints')
    .set(change)
    .where('endpoint_id', '=', row.endpoint_id)
    .execute()
  await ENDPOINT_CHECKSUM.saveChange(trx, row, changed)
  return changed
}
