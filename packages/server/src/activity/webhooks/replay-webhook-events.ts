import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { fieldError, unknownReference, validationFailed } from '../../platform/errors.ts'
import { OptionalField, StrictObject, Timestamp } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { EventId } from '../events/event.ts'
import { type GetWebhookEndpointDeps, requireWebhookEndpoint } from './get-webhook-endpoint.ts'
import { findRange, type QueueReplayDeps, queueEvents, queueRange } from './queue-replay.ts'
import { WebhookEndpointParams } from './schemas.ts'
import type { WebhookEndpoint, WebhookEndpointId } from './webhook-endpoint.ts'

export const ReplayWebhookEvents = StrictObject(
  {
    eventIds: OptionalField(
      Type.Array(Type.Unsafe<EventId>(Type.String({ minLength: 1, maxLength: 64 })), {
        minItems: 1,
        maxItems: 1_000,
        uniqueItems: true,
        description: 'These events, whether the endpoint subscribes to their types or not.',
      }),
    ),
    since: OptionalField(Timestamp('The events from this time on. Requires `until`.')),
    until: OptionalField(Timestamp('The events before this time. Requires `since`.')),
    failed: OptionalField(
      Type.Boolean({ description: 'true: the events that the endpoint never accepted.' }),
    ),
  },
  { $id: 'ReplayWebhookEvents', examples: [{ failed: true }] },
)
export type ReplayWebhookEvents = Static<typeof ReplayWebhookEvents>

export const QueuedReplay = StrictObject(
  { queued: Type.Integer({ description: 'Number of events that are sent again.' }) },
  { $id: 'QueuedReplay', examples: [{ queued: 41 }] },
)
export type QueuedReplay = Static<typeof QueuedReplay>

export interface ReplayWebhookEventsDeps extends GetWebhookEndpointDeps, QueueReplayDeps {
  readonly now: () => number
}

export const replayWebhookEventsOperation = defineOperation({
  id: 'replayWebhookEvents',
  sdk: 'webhookEndpoints.replay',
  method: 'POST',
  path: '/v1/webhook_endpoint/:webhookEndpointId/replay',
  tag: 'Webhooks',
  summary: 'Send events to a webhook endpoint again',
  description:
    'Send one of `eventIds`, `since` with `until`, or `failed`: true. Events that happen meanwhile come first. Events that are on their way are not counted.',
  scope: 'webhooks',
  params: WebhookEndpointParams,
  body: ReplayWebhookEvents,
  response: QueuedReplay,
  returns: 'How many events were queued.',
  errors: ['webhook_endpoint_not_found', 'unknown_reference', 'events_gone'],
  audit: 'webhook_endpoint.replayed',
  handle: (deps: ReplayWebhookEventsDeps, caller, { params, body }) =>
    replayWebhookEvents(deps, caller, params.webhookEndpointId, body),
})

/**
 * Sends events to an endpoint again, behind those that happen now: `eventIds`, those from `since` until `until`, or those
 * that `failed`. Events that are on their way to it are not counted.
 *
 * @throws ApiError `webhook_endpoint_not_found`, `validation_failed`, `unknown_reference`
 */
export async function replayWebhookEvents(
  deps: ReplayWebhookEventsDeps,
  caller: Caller,
  endpointId: WebhookEndpointId,
  input: ReplayWebhookEvents,
): Promise<QueuedReplay> {
  const replay = chooseReplay(input)
  const endpoint = await requireWebhookEndpoint(deps, caller, endpointId)
  const queued = await replay(deps, caller, endpoint)
  const response = { queued }
  await deps.database.transaction((trx) =>
    record(trx, caller, deps.now(), {
      action: 'webhook_endpoint.replayed',
      workspaceId: endpoint.workspaceId,
      subject: endpointId,
      detail: { queued },
      response,
    }),
  )
  return response
}

type Replay = (
  deps: ReplayWebhookEventsDeps,
  caller: Caller,
  endpoint: WebhookEndpoint,
) => Promise<number>

/** @throws ApiError `validation_failed` unless the body has exactly one kind of selection */
function chooseReplay({ eventIds, since, until, failed }: ReplayWebhookEvents): Replay {
  const hasRange = since != null || until != null
  const count = [eventIds != null, hasRange, failed === true].filter(Boolean).length
  if (count !== 1 || (since == null) !== (until == null))
    throw validationFailed(
      fieldError('', 'invalid', 'Requires one of eventIds, since with until, or failed: true.'),
    )
  if (eventIds != null) return (...args) => replayEvents(...args, eventIds)
  if (since == null || until == null) return replayFailed
  const range = { since: Date.parse(since), until: Date.parse(until) }
  return (...args) => replayRange(...args, range)
}

async function replayEvents(
  deps: ReplayWebhookEventsDeps,
  caller: Caller,
  endpoint: WebhookEndpoint,
  eventIds: readonly EventId[],
): Promise<number> {
  const known = await deps.replays.listKnown(caller, endpoint, eventIds)
  const unknown = eventIds.findIndex((eventId) => !known.has(eventId))
  if (unknown !== -1) throw unknownReference(`eventIds.${unknown}`)
  return queueEvents(deps, caller, endpoint, eventIds, { isDeliveredIncluded: true })
}

async function replayRange(
  deps: ReplayWebhookEventsDeps,
  caller: Caller,
  endpoint: WebhookEndpoint,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<number> {
  const range = await findRange(deps, caller, endpoint, since, until)
  if (range.last - range.after > MAX_EVENTS)
    throw validationFailed(
      fieldError('since', 'too_many', `The range has more than ${MAX_EVENTS} events.`),
    )
  return queueRange(deps, caller, endpoint, range, { isDeliveredIncluded: true })
}

async function replayFailed(
  deps: ReplayWebhookEventsDeps,
  caller: Caller,
  endpoint: WebhookEndpoint,
): Promise<number> {
  let queued = 0
  let position = 0
  while (queued < MAX_EVENTS) {
    const failed = await deps.replays.listFailed(caller, endpoint, position, BATCH)
    const eventIds = failed.map(({ eventId }) => eventId)
    queued += await queueEvents(deps, caller, endpoint, eventIds, { isDeliveredIncluded: false })
    if (failed.length < BATCH) break
    position = failed.at(-1)?.sequence ?? position
  }
  return queued
}

const BATCH = 1_000
const MAX_EVENTS = 100_000
