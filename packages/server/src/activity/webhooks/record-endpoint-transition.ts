import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { serializeWebhookEndpoint } from './schemas.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'

/**
 * Records, in the transaction of the change, that an endpoint was disabled or works again: an event for the other
 * endpoints, and an entry of the audit trail.
 *
 * @param endpoint the endpoint after the change
 * @param at epoch milliseconds
 */
export async function recordEndpointTransition(
  trx: Transaction,
  endpoint: WebhookEndpoint,
  transition: 'disabled' | 'recovered',
  at: number,
): Promise<void> {
  const type = `webhook_endpoint.${transition}` as const
  const { endpointId: subject, workspaceId, stateReason } = endpoint
  const webhookEndpoint = serializeWebhookEndpoint(endpoint)
  const data = {
    webhookEndpoint,
    ...(transition === 'disabled' ? { reason: stateReason } : { previous: { state: 'failing' } }),
  }
  await record(trx, SYSTEM_ACTOR, at, {
    action: type,
    workspaceId,
    subject,
    detail: { reason: stateReason },
    event: { type, subject, data },
  })
}
