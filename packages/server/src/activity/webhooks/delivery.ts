import Type from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { KnownText, Nullable, OneOf, Timestamp } from '../../platform/http/schema.ts'
import { EVENT_TYPES } from '../../platform/record/event-types.ts'
import {
  defineResource,
  id,
  integer,
  nullable,
  type RowOf,
  text,
  time,
  type ValuesOf,
} from '../../platform/storage/define-resource.ts'
import type { EventId } from '../events/event.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'

/** `queued` for a replay, `held` behind an earlier event of the same subject. */
export const DELIVERY_STATES = ['queued', 'pending', 'held', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

const SAMPLE_TIME = Date.parse('2026-11-22T10:00:00.000Z')

/** The fields of a delivery, in the order of responses. */
const deliveryFields = {
  endpointId: { column: 'endpoint_id', type: id<WebhookEndpointId>() },
  workspaceId: { column: 'workspace_id', type: id<WorkspaceId>() },
  eventId: {
    column: 'event_id',
    type: id<EventId>(),
    sample: 'evt_01kahn5s9kf5arr5d1x6z5cq3b',
    response: Type.String({ description: 'The event.' }),
  },
  type: {
    column: 'type',
    type: text('none'),
    sample: 'account.needs_reauth',
    response: KnownText<string>(EVENT_TYPES, 'Its type.'),
  },
  subject: {
    column: 'subject',
    type: text('none'),
    sample: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
    response: Type.String({ description: 'The id of the resource that changed.' }),
  },
  sequence: {
    column: 'sequence',
    type: integer(),
    sample: 1842,
    response: Type.Integer({ description: 'Its sequence number.' }),
  },
  round: {
    column: 'round',
    type: integer(),
    response: Type.Integer({ description: '0, and one more for each replay of the event.' }),
  },
  state: {
    column: 'state',
    type: text<DeliveryState>('none'),
    sample: 'pending',
    response: OneOf(
      DELIVERY_STATES,
      'queued by a replay; pending; held behind an earlier event of the same resource; delivered; failed: given up.',
    ),
  },
  attempts: {
    column: 'attempts',
    type: integer(),
    sample: 2,
    response: Type.Integer({ description: 'Number of requests so far.' }),
  },
  createdAt: {
    column: 'created_at',
    type: time(),
    sample: SAMPLE_TIME,
    response: Timestamp('When the delivery was created.'),
  },
  dueAt: {
    column: 'due_at',
    type: time(),
    sample: SAMPLE_TIME + 65_000,
    as: 'nextAttemptAt',
    response: Nullable(Timestamp('When it is sent next; null if it is not pending.')),
  },
  lastStatus: {
    column: 'last_status',
    type: nullable(integer()),
    sample: 503,
    response: Nullable(Type.Integer({ description: 'HTTP status of the last response.' })),
  },
  lastMs: {
    column: 'last_ms',
    type: nullable(integer()),
    sample: 41,
    response: Nullable(
      Type.Integer({ description: 'Duration of the last attempt in milliseconds.' }),
    ),
  },
  lastAt: {
    column: 'last_at',
    type: nullable(time()),
    sample: SAMPLE_TIME + 5_000,
    response: Nullable(Timestamp('When the last attempt began.')),
  },
} as const

export const DELIVERY = defineResource(deliveryFields)

/** An event on its way to an endpoint. Times are epoch milliseconds. */
export type Delivery = ValuesOf<typeof deliveryFields>

export type DeliveryRow = RowOf<typeof deliveryFields>

/** The fields of a failure, in the order of responses. */
const failureFields = {
  endpointId: { column: 'endpoint_id', type: id<WebhookEndpointId>() },
  sequence: { column: 'sequence', type: integer(), sample: 1842 },
  round: {
    column: 'round',
    type: integer(),
    response: Type.Integer({ description: 'The replay that the attempt belongs to.' }),
  },
  attempt: {
    column: 'attempt',
    type: integer(),
    sample: 2,
    response: Type.Integer({ description: 'Counts the attempts of a round from 1.' }),
  },
  at: {
    column: 'at',
    type: time(),
    sample: SAMPLE_TIME + 5_000,
    response: Timestamp('When it began.'),
  },
  ms: {
    column: 'ms',
    type: integer(),
    sample: 41,
    response: Type.Integer({ description: 'Its duration in milliseconds.' }),
  },
  status: {
    column: 'status',
    type: nullable(integer()),
    sample: 503,
    response: Nullable(
      Type.Integer({ description: 'HTTP status; null if there was no response.' }),
    ),
  },
  code: {
    column: 'code',
    type: text('none'),
    sample: 'status_503',
    response: Type.String({
      description: 'Why it failed, such as status_503, timeout or refused.',
    }),
  },
  /** The start of the response's body. */
  response: {
    column: 'response',
    type: text('scrubbed'),
    sample: 'Service Unavailable',
    response: Type.String({ description: 'The first 1,000 characters of the response.' }),
  },
  node: { column: 'node', type: text('none') },
} as const

export const DELIVERY_FAILURE = defineResource(failureFields)

/** An attempt that failed. */
export type DeliveryFailure = ValuesOf<typeof failureFields>

export type DeliveryFailureRow = RowOf<typeof failureFields>

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    deliveries: DeliveryRow
    delivery_failures: DeliveryFailureRow
  }
}
