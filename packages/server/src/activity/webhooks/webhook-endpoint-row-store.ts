import type { WebhookEndpointRow } from '../../platform/storage/tables.ts'
import type {
  EndpointSettings,
  EndpointState,
  Ordering,
  Payload,
  Signature,
  WebhookEndpoint,
} from './webhook-endpoint.ts'

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
export function toRow(endpoint: WebhookEndpoint, lastSequence: number): WebhookEndpointRow {
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
export function toChangedColumns(
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
