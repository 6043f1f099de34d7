import Type, { type Static } from 'typebox'
import {
  KnownText,
  Nullable,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { EVENT_TYPES } from '../../platform/record/event-types.ts'
import { DELIVERY_STATES, type Delivery, type DeliveryFailure } from './webhook-endpoint.ts'

const fields = {
  eventId: Type.String({ description: 'The event.' }),
  type: KnownText<string>(EVENT_TYPES, 'Its type.'),
  subject: Type.String({ description: 'The id of the resource that changed.' }),
  sequence: Type.Integer({ description: 'Its sequence number.' }),
  round: Type.Integer({ description: '0, and one more for each replay of the event.' }),
  state: Type.Unsafe<Delivery['state']>({
    type: 'string',
    enum: [...DELIVERY_STATES],
    description:
      'queued by a replay; pending; held behind an earlier event of the same resource; delivered; failed: given up.',
  }),
  attempts: Type.Integer({ description: 'Number of requests so far.' }),
  createdAt: Timestamp('When the delivery was created.'),
  nextAttemptAt: Nullable(Timestamp('When it is sent next; null if it is not pending.')),
  lastStatus: Nullable(Type.Integer({ description: 'HTTP status of the last response.' })),
  lastMs: Nullable(Type.Integer({ description: 'Duration of the last attempt in milliseconds.' })),
  lastAt: Nullable(Timestamp('When the last attempt began.')),
}

const example = {
  eventId: 'evt_01kahn5s9kf5arr5d1x6z5cq3b',
  type: 'account.needs_reauth',
  subject: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
  sequence: 1842,
  round: 0,
  state: 'pending',
  attempts: 2,
  createdAt: '2026-11-22T10:00:00.000Z',
  nextAttemptAt: '2026-11-22T10:01:05.000Z',
  lastStatus: 503,
  lastMs: 41,
  lastAt: '2026-11-22T10:00:05.000Z',
}

/** An event on its way to an endpoint. */
export const WebhookDelivery = StrictObject(fields, { $id: 'WebhookDelivery', examples: [example] })
export type WebhookDelivery = Static<typeof WebhookDelivery>

const failureFields = {
  round: Type.Integer({ description: 'The replay that the attempt belongs to.' }),
  attempt: Type.Integer({ description: 'Counts the attempts of a round from 1.' }),
  at: Timestamp('When it began.'),
  ms: Type.Integer({ description: 'Its duration in milliseconds.' }),
  status: Nullable(Type.Integer({ description: 'HTTP status; null if there was no response.' })),
  code: Type.String({ description: 'Why it failed, such as status_503, timeout or refused.' }),
  response: Type.String({ description: 'The first 1,000 characters of the response.' }),
}

/** A delivery and the attempts that failed. */
export const WebhookDeliveryDetails = StrictObject(
  {
    ...fields,
    failures: Type.Array(StrictObject(failureFields), {
      description: 'The last 100 attempts that failed, in all rounds, the newest first.',
    }),
  },
  {
    $id: 'WebhookDeliveryDetails',
    examples: [
      {
        ...example,
        failures: [
          {
            round: 0,
            attempt: 2,
            at: '2026-11-22T10:00:05.000Z',
            ms: 41,
            status: 503,
            code: 'status_503',
            response: 'Service Unavailable',
          },
        ],
      },
    ],
  },
)
export type WebhookDeliveryDetails = Static<typeof WebhookDeliveryDetails>

export function serializeDelivery(delivery: Delivery): WebhookDelivery {
  const { eventId, type, subject, sequence, round, state, attempts, lastStatus, lastMs } = delivery
  const { createdAt, dueAt, lastAt } = delivery
  return {
    eventId,
    type,
    subject,
    sequence,
    round,
    state,
    attempts,
    lastStatus,
    lastMs,
    createdAt: toTimestamp(createdAt),
    nextAttemptAt: state === 'pending' ? toTimestamp(dueAt) : null,
    lastAt: lastAt === null ? null : toTimestamp(lastAt),
  }
}

export function serializeDeliveryDetails(
  delivery: Delivery,
  failures: readonly DeliveryFailure[],
): WebhookDeliveryDetails {
  return {
    ...serializeDelivery(delivery),
    failures: failures.map(({ round, attempt, at, ms, status, code, response }) => ({
      round,
      attempt,
      at: toTimestamp(at),
      ms,
      status,
      code,
      response,
    })),
  }
}
