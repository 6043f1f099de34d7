import type { Generated } from 'kysely'
import type { Id } from '../id.ts'

export interface EventRow {
  /** The order of insertion. Rows of concurrent transactions may become visible in another order. */
  position: Generated<number>
  workspace_id: Id<'wsp'>
  event_id: Id<'evt'>
  type: string
  version: number
  at: number
  /** The id of the resource that changed. */
  subject: string
  account_identifier: string | null
  /** JSON object. */
  cause: string
  /** JSON object. */
  data: string
  /** Counts the events of the workspace without gaps; null until the event is numbered, after its commit. */
  sequence: number | null
}

/** The numbers of a workspace's events. */
export interface EventSequenceRow {
  workspace_id: Id<'wsp'>
  last: number
  /** The first event that is retained. */
  oldest: number
}

/** An entry of an account's history. */
export interface AccountChangeRow {
  workspace_id: Id<'wsp'>
  account_id: Id<'acc'>
  change_id: Id<'chg'>
  at: number
  action: string
  /** The account's status after the change. */
  status: string
  reason: string | null
  /** JSON object. */
  cause: string
}

/** A URL of a workspace that receives its events. */
export interface WebhookEndpointRow {
  endpoint_id: Id<'whe'>
  workspace_id: Id<'wsp'>
  url: string
  description: string
  /** JSON array of event types and prefixes such as `account.*`; null: all. */
  types: string | null
  /** JSON array of the definitions whose events are delivered; null: all. */
  integration_definition_ids: string | null
  /** `full` or `thin`. */
  payload: string
  /** The version of the events that it receives. */
  version: number
  /** `account`: one event of a subject after the other; `none`. */
  ordering: string
  /** `v1`, `v1a` or `both` of Standard Webhooks. */
  signature: string
  max_in_flight: number
  /** The sealed signing secrets, the newest first, with the times at which the others expire. */
  sealed_secrets: Uint8Array
  /** The sealed request headers of the workspace; null: none. */
  sealed_headers: Uint8Array | null
  /** JSON array of their names. */
  header_names: string
  /** JSON array of `whpk_` keys. */
  public_keys: string
  /** `active`, `failing`, `paused` or `disabled`. */
  state: string
  state_reason: string | null
  /** When the failures since the last success began. */
  failing_since: number | null
  failures_in_row: number
  /** Probes since the endpoint is failing, which determine the interval of the next. */
  probes: number
  /** When the next probe is due. */
  retry_at: number | null
  last_success_at: number | null
  /** The last event of which this endpoint has a delivery or that it does not subscribe to. */
  last_sequence: number
  /** Number of deliveries that are pending or held. */
  pending: number
  /** Number of deliveries that wait for a replay: they become pending behind live events. */
  queued: number
  /** When the dispatcher has to look at the endpoint; null: there is nothing to send. */
  due_at: number | null
  lease_owner: string | null
  lease_until: number | null
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** An event on its way to an endpoint. */
export interface DeliveryRow {
  endpoint_id: Id<'whe'>
  sequence: number
  /** 0, and one more for each replay. */
  round: number
  workspace_id: Id<'wsp'>
  event_id: Id<'evt'>
  type: string
  subject: string
  /** `queued` for a replay, `pending`, `held` behind an earlier event of the same subject, `delivered` or `failed`. */
  state: string
  attempts: number
  created_at: number
  due_at: number
  /** The HTTP status of the last attempt. */
  last_status: number | null
  last_ms: number | null
  last_at: number | null
}

/** An attempt that failed. */
export interface DeliveryFailureRow {
  endpoint_id: Id<'whe'>
  sequence: number
  round: number
  attempt: number
  at: number
  ms: number
  status: number | null
  code: string
  /** The start of the response's body. */
  response: string
  node: string
}
