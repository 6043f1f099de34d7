import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { EventId } from '../events/event.ts'

export type WebhookEndpointId = Id<'whe'>

/** `full`: events as the API returns them. `thin`: of `data`, only ids and what changed. */
export const PAYLOADS = ['full', 'thin'] as const
export type Payload = (typeof PAYLOADS)[number]

/** `account`: one event of a subject after the other. `none`: as soon as possible. */
export const ORDERINGS = ['account', 'none'] as const
export type Ordering = (typeof ORDERINGS)[number]

/** The schemes of Standard Webhooks: HMAC-SHA256, Ed25519, or both. */
export const SIGNATURES = ['v1', 'v1a', 'both'] as const
export type Signature = (typeof SIGNATURES)[number]

/**
 * `active`; `failing` while its circuit is open; `paused` by its owner: deliveries are stored and not sent; `disabled`
 * after days without success: no deliveries are stored.
 */
export const ENDPOINT_STATES = ['active', 'failing', 'paused', 'disabled'] as const
export type EndpointState = (typeof ENDPOINT_STATES)[number]

/** A URL of a workspace that receives its events. Times are epoch milliseconds. */
export interface WebhookEndpoint extends EndpointSettings {
  readonly endpointId: WebhookEndpointId
  readonly workspaceId: WorkspaceId
  /** The sealed signing secrets; see `openSigningSecrets`. */
  readonly sealedSecrets: Uint8Array
  /** The public keys of `v1a`, the newest first. */
  readonly publicKeys: readonly string[]
  readonly state: EndpointState
  readonly stateReason: string | null
  /** When the failures since the last success began. */
  readonly failingSince: number | null
  readonly lastSuccessAt: number | null
  /** Number of deliveries on their way, including those that wait for a replay. */
  readonly pending: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** What the owner of an endpoint determines. */
export interface EndpointSettings {
  readonly url: string
  readonly description: string
  /** Types such as `account.created` and prefixes such as `account.*`; null for all. */
  readonly types: readonly string[] | null
  /** The definitions whose events are delivered; null for all. */
  readonly definitionIds: readonly DefinitionId[] | null
  readonly payload: Payload
  /** The version of the events that it receives. */
  readonly version: number
  readonly ordering: Ordering
  readonly signature: Signature
  /** Maximum number of concurrent requests. */
  readonly maxInFlight: number
  /** The sealed request headers of the owner; null for none. See `openEndpointHeaders`. */
  readonly sealedHeaders: Uint8Array | null
  /** Their names. */
  readonly headerNames: readonly string[]
}

export const DELIVERY_STATES = ['queued', 'pending', 'held', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** An event on its way to an endpoint. Times are epoch milliseconds. */
export interface Delivery {
  readonly endpointId: WebhookEndpointId
  readonly workspaceId: WorkspaceId
  readonly sequence: number
  /** 0, and one more for each replay. */
  readonly round: number
  readonly eventId: EventId
  readonly type: string
  readonly subject: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: number
  readonly dueAt: number
  /** The HTTP status of the last attempt. */
  readonly lastStatus: number | null
  readonly lastMs: number | null
  readonly lastAt: number | null
}

/** An attempt that failed. */
export interface DeliveryFailure {
  readonly sequence: number
  readonly round: number
  readonly attempt: number
  readonly at: number
  readonly ms: number
  readonly status: number | null
  readonly code: string
  /** The start of the response's body. */
  readonly response: string
}
