import type { Kysely } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Pagination } from '../../platform/http/pagination.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  type EndpointSettings,
  WEBHOOK_ENDPOINT,
  type WebhookEndpoint,
  type WebhookEndpointId,
  type WebhookEndpointRow,
} from './webhook-endpoint.ts'

/** The fields that requests may change. */
export type WebhookEndpointChange = Partial<EndpointSettings> &
  Partial<Pick<WebhookEndpoint, 'sealedSecrets' | 'publicKeys'>> & { readonly updatedAt: number }

/** Webhook endpoints of the workspaces that the caller can access. */
export function createWebhookEndpointStore(database: Database) {
  return {
    async find(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      endpointId: WebhookEndpointId,
    ): Promise<WebhookEndpoint | undefined> {
      const row = await db
        .selectFrom('webhook_endpoints')
        .selectAll()
        .where('endpoint_id', '=', endpointId)
        .where('deleted_at', 'is', null)
        .where(isInAccessibleWorkspace(access, 'webhook_endpoints'))
        .executeTakeFirst()
      return row && toWebhookEndpoint(row)
    },

    /** Oldest first. Returns up to `limit + 1` of them. */
    async list(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      { after, limit }: Pagination,
    ): Promise<WebhookEndpoint[]> {
      let query = database.read
        .selectFrom('webhook_endpoints')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('deleted_at', 'is', null)
        // Ids of one kind are in the order of their creation.
        .orderBy('endpoint_id')
      if (after !== undefined)
        query = query.where('endpoint_id', '>', after.id as WebhookEndpointId)
      const rows = await (limit === undefined ? query : query.limit(limit + 1)).execute()
      return rows.map(toWebhookEndpoint)
    },

    async count(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
    ): Promise<number> {
      const { count } = await db
        .selectFrom('webhook_endpoints')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /** Inserts an endpoint that receives the events from now on. */
    async insert(trx: Kysely<Tables>, endpoint: WebhookEndpoint): Promise<void> {
      const sequences = await trx
        .selectFrom('event_sequences')
        .select('last')
        .where('workspace_id', '=', endpoint.workspaceId)
        .executeTakeFirst()
      const row = { ...WEBHOOK_ENDPOINT.toNewRow(endpoint), last_sequence: sequences?.last ?? 0 }
      await trx.insertInto('webhook_endpoints').values(row).execute()
    },

    /** Returns the changed endpoint, or undefined if there is none. */
    async update(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      endpointId: WebhookEndpointId,
      change: WebhookEndpointChange,
    ): Promise<WebhookEndpoint | undefined> {
      const row = await trx
        .updateTable('webhook_endpoints')
        .set(WEBHOOK_ENDPOINT.toColumns(change))
        .where('endpoint_id', '=', endpointId)
        .where('deleted_at', 'is', null)
        .where(isInAccessibleWorkspace(access, 'webhook_endpoints'))
        .returningAll()
        .executeTakeFirst()
      return row && toWebhookEndpoint(row)
    },

    /** Pauses an endpoint: its deliveries are stored and not sent. */
    async pause(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      { endpointId, workspaceId }: EndpointIds,
    ): Promise<void> {
      await lockEventNumbers(trx, workspaceId)
      await trx
        .updateTable('webhook_endpoints')
        .set({ state: 'paused', state_reason: null, due_at: null, retry_at: null })
        .where('endpoint_id', '=', endpointId)
        .where('deleted_at', 'is', null)
        .where(isInAccessibleWorkspace(access, 'webhook_endpoints'))
        .execute()
    },

    /** Makes an endpoint active, whatever its state, with what is pending due at once. */
    async activate(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      { endpointId, workspaceId }: EndpointIds,
      now: number,
    ): Promise<void> {
      await lockEventNumbers(trx, workspaceId)
      await trx
        .updateTable('webhook_endpoints')
        .set({ state: 'active', state_reason: null, failing_since: null, failures_in_row: 0 })
        // Due at once, however the clock of the database differs.
        .set({ probes: 0, retry_at: null, due_at: 0, updated_at: now })
        .where('endpoint_id', '=', endpointId)
        .where('deleted_at', 'is', null)
        .where(isInAccessibleWorkspace(access, 'webhook_endpoints'))
        .execute()
    },

    /**
     * Deletes an endpoint and its secrets; its deliveries are deleted in the background. A process that is
     * sending to it loses its lease. Returns false if there is none.
     */
    async remove(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      endpointId: WebhookEndpointId,
      now: number,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('webhook_endpoints')
        .set({ deleted_at: now, updated_at: now, state: 'disabled', due_at: null, queued: 0 })
        .set({ sealed_secrets: new Uint8Array(), sealed_headers: null, public_keys: '[]' })
        .set({ lease_owner: null, lease_until: null, retry_at: null })
        .where('endpoint_id', '=', endpointId)
        .where('deleted_at', 'is', null)
        .where(isInAccessibleWorkspace(access, 'webhook_endpoints'))
        .returning('endpoint_id')
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export type WebhookEndpointStore = ReturnType<typeof createWebhookEndpointStore>

type EndpointIds = Pick<WebhookEndpoint, 'endpointId' | 'workspaceId'>

/**
 * Waits for the transaction that numbers events: it skipped a disabled endpoint, and its events must have committed when
 * the missed ones are read. Before the lock on the endpoint, as when events are numbered.
 */
async function lockEventNumbers(trx: Kysely<Tables>, workspaceId: WorkspaceId): Promise<void> {
  await trx
    .updateTable('event_sequences')
    .set((eb) => ({ last: eb.ref('last') }))
    .where('workspace_id', '=', workspaceId)
    .execute()
}

/** The endpoint of a row. */
export function toWebhookEndpoint(row: WebhookEndpointRow): WebhookEndpoint {
  return { ...WEBHOOK_ENDPOINT.fromRow(row), pending: row.pending + row.queued }
}
