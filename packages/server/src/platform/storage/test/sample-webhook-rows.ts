import { DELIVERY, DELIVERY_FAILURE } from '../../../activity/webhooks/delivery.ts'
import { WEBHOOK_ENDPOINT } from '../../../activity/webhooks/webhook-endpoint.ts'
import { newId } from '../id.ts'
import type { Tables } from '../tables.ts'
import type { SampleRows } from './sample-rows.ts'

/** A row of each table of webhooks. */
export function createSampleWebhookRows(
  now: number,
  { workspace_id, event_id }: Pick<Tables['deliveries'], 'workspace_id' | 'event_id'>,
): Pick<SampleRows, 'webhook_endpoints' | 'deliveries' | 'delivery_failures'> {
  const endpoint_id = newId('whe', now)
  const times = { created_at: now, updated_at: now }
  return {
    webhook_endpoints: {
      ...WEBHOOK_ENDPOINT.sampleRow,
      endpoint_id,
      workspace_id,
      pending: 1,
      due_at: now,
      ...times,
    },
    deliveries: {
      ...DELIVERY.sampleRow,
      endpoint_id,
      workspace_id,
      event_id,
      sequence: 1,
      created_at: now,
      due_at: now,
      last_at: now,
    },
    delivery_failures: { ...DELIVERY_FAILURE.sampleRow, endpoint_id, sequence: 1, at: now },
  }
}
