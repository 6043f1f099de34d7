import { newId } from '../id.ts'
import type { Tables } from '../tables.ts'
import type { SampleRows } from './sample-rows.ts'

/** A row of each table of webhooks. */
export function createSampleWebhookRows(
  now: number,
  { workspace_id, event_id }: Pick<Tables['deliveries'], 'workspace_id' | 'event_id'>,
): Pick<SampleRows, 'webhook_endpoints' | 'deliveries' | 'delivery_failures'> {
  const endpoint_id = newId('whe', now)
  return {
    webhook_endpoints: {
      endpoint_id,
      workspace_id,
      url: 'https://example.com/hooks',
      description: '',
      types: '["account.*"]',
      integration_definition_ids: null,
      payload: 'full',
      version: 1,
      ordering: 'account',
      signature: 'v1',
      max_in_flight: 8,
      sealed_secrets: Buffer.alloc(60, 3),
      sealed_headers: null,
      header_names: '[]',
      public_keys: '[]',
      state: 'active',
      state_reason: null,
      failing_since: null,
      failures_in_row: 0,
      probes: 0,
      retry_at: null,
      last_success_at: null,
      last_sequence: 0,
      pending: 1,
      queued: 0,
      due_at: now,
      lease_owner: null,
      lease_until: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    },
    deliveries: {
      endpoint_id,
      sequence: 1,
      round: 0,
      workspace_id,
      event_id,
      type: 'account.created',
      subject: newId('acc', now),
      state: 'pending',
      attempts: 1,
      created_at: now,
      due_at: now,
      last_status: 500,
      last_ms: 12,
      last_at: now,
    },
    delivery_failures: {
      endpoint_id,
      sequence: 1,
      round: 0,
      attempt: 1,
      at: now,
      ms: 12,
      status: 500,
      code: 'status_500',
      response: 'Internal Server Error',
      node: 'node-1',
    },
  }
}
