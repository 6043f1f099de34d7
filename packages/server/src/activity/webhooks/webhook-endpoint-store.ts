import type { Kysely } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Pagination } from '../../platform/http/pagination.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Tables, WebhookEndpointRow } from '../../platform/storage/tables.ts'
import type {
  EndpointSettings,
  EndpointState,
  Ordering,
  Payload,
  Signature,
  WebhookEndpoint,
  WebhookEndpointId,
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
      const row = toRow(endpoint, sequences?.last ?? 0)
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
        .set({ updated_at: change.updatedAt, ...toChangedColumns(change) })
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
  return {
    endpointId: row.endpoint_id,
    workspaceId: row.workspace_id,
    url: row.url,
    description: row.description,
    types: row.types === null ? null : JSON.parse(row.types),
    definitionIds:
      row.integration_definition_ids === null ? null : JSON.parse(row.integration_definition_ids),
    payload: row.payload as Payload,
    version: row.version,
    ordering: row.ordering as Ordering,
    signature: row.signature as Signature,
    maxInFlight: row.max_in_flight,
    sealedSecrets: row.sealed_secrets,
    sealedHeaders: row.sealed_headers,
    headerNames: JSON.parse(row.header_names),
    publicKeys: JSON.parse(row.public_keys),
    state: row.state as EndpointState,
    stateReason: row.state_reason,
    failingSince: row.failing_since,
    lastSuccessAt: row.last_success_at,
    pending: row.pending + row.queued,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** The row of a new endpoint, which has received all events up to `lastSequence`. */
function toRow(endpoint: WebhookEndpoint, lastSequence: number): WebhookEndpointRow {
  const { types, definitionIds } = endpoint
  return {
    endpoint_id: endpoint.endpointId,
    workspace_id: endpoint.workspaceId,
    url: endpoint.url,
    description: endpoint.description,
    types: types && JSON.stringify(types),
    integration_definition_ids: definitionIds && JSON.stringify(definitionIds),
    payload: endpoint.payload,
    version: endpoint.version,
    ordering: endpoint.ordering,
    signature: endpoint.signature,
    max_in_flight: endpoint.maxInFlight,
    sealed_secrets: endpoint.sealedSecrets,
    sealed_headers: endpoint.sealedHeaders,
    header_names: JSON.stringify(endpoint.headerNames),
    public_keys: JSON.stringify(endpoint.publicKeys),
    state: endpoint.state,
    state_reason: endpoint.stateReason,
    failing_since: endpoint.failingSince,
    failures_in_row: 0,
    probes: 0,
    retry_at: null,
    last_success_at: endpoint.lastSuccessAt,
    last_sequence: lastSequence,
    pending: 0,
    queued: 0,
    due_at: null,
    lease_owner: null,
    lease_until: null,
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
    deleted_at: null,
  }
}

/** The columns of a change, without those of absent fields. */
function toChangedColumns(
  change: Partial<EndpointSettings> &
    Partial<Pick<WebhookEndpoint, 'sealedSecrets' | 'publicKeys'>>,
): Partial<WebhookEndpointRow> {
  const { types, definitionIds, headerNames, publicKeys } = change
  const columns = {
    url: change.url,
    description: change.description,
    types: types && JSON.stringify(types),
    integration_definition_ids: definitionIds && JSON.stringify(definitionIds),
    payload: change.payload,
    version: change.version,
    ordering: change.ordering,
    signature: change.signature,
    max_in_flight: change.maxInFlight,
    sealed_headers: change.sealedHeaders,
    sealed_secrets: change.sealedSecrets,
    header_names: headerNames && JSON.stringify(headerNames),
    public_keys: publicKeys && JSON.stringify(publicKeys),
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}
