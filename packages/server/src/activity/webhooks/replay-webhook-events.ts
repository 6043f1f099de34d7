import Type, { type Static } from 'typebox'
import type { Caller, WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { fieldError, notFound, unknownReference, validationFailed } from '../../platform/errors.ts'
import { OptionalField, StrictObject, Timestamp } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { splitIntoChunks } from '../../platform/storage/portable-sql.ts'
import type { EventId } from '../events/event.ts'
import type { EventStore } from '../events/event-store.ts'
import type { ReplayRange, ReplaySelection, ReplayStore } from './replay-store.ts'
import { WebhookEndpointParams } from './schemas.ts'
import type { WebhookEndpoint, WebhookEndpointId } from './webhook-endpoint.ts'
import {
  type GetWebhookEndpointDeps,
  requireWebhookEndpoint,
} from './webhook-endpoint-operations.ts'

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
    const failed = await deps.replays.listFailed(caller, endpoint, position, FAILED_BATCH)
    const eventIds = failed.map(({ eventId }) => eventId)
    queued += await queueEvents(deps, caller, endpoint, eventIds, { isDeliveredIncluded: false })
    if (failed.length < FAILED_BATCH) break
    position = failed.at(-1)?.sequence ?? position
  }
  return queued
}

const FAILED_BATCH = 1_000
const MAX_EVENTS = 100_000

export interface QueueReplayDeps {
  readonly database: Database
  readonly events: Pick<EventStore, 'getRange'>
  readonly replays: ReplayStore
}

type Options = Pick<ReplaySelection, 'isDeliveredIncluded'>

/**
 * Queues the events of a range that an endpoint subscribes to, 1,000 sequence numbers per transaction, and returns how many.
 *
 * @throws ApiError `webhook_endpoint_not_found` if the endpoint is deleted meanwhile
 */
export async function queueRange(
  deps: QueueReplayDeps,
  access: WorkspaceAccess,
  endpoint: WebhookEndpoint,
  range: ReplayRange & { readonly last: number },
  options: Options,
): Promise<number> {
  let queued = 0
  for (let { after } = range; after < range.last; after += BATCH) {
    const part = { ...range, after, last: Math.min(after + BATCH, range.last) }
    queued += await queue(deps, access, endpoint, { ...options, range: part })
  }
  return queued
}

/** As `queueRange`, of these events, whether the endpoint subscribes to their types or not. */
async function queueEvents(
  deps: QueueReplayDeps,
  access: WorkspaceAccess,
  endpoint: WebhookEndpoint,
  eventIds: readonly EventId[],
  options: Options,
): Promise<number> {
  let queued = 0
  for (const chunk of splitIntoChunks(eventIds))
    queued += await queue(deps, access, endpoint, { ...options, eventIds: chunk })
  return queued
}

async function queue(
  { database, replays }: QueueReplayDeps,
  access: WorkspaceAccess,
  endpoint: WebhookEndpoint,
  selection: ReplaySelection,
): Promise<number> {
  const count = await database.transaction((trx) => replays.queue(trx, access, endpoint, selection))
  if (count === undefined) throw notFound('webhook_endpoint')
  return count
}

/** The range between two times, in epoch milliseconds, with the sequence numbers that contain it. */
export async function findRange(
  { events, replays }: QueueReplayDeps,
  access: WorkspaceAccess,
  endpoint: WebhookEndpoint,
  since: number,
  until?: number,
): Promise<ReplayRange & { readonly last: number }> {
  const { oldest, last } = await events.getRange(access, endpoint.workspaceId)
  // The first event at or after a time, in the order of commits, which differs from that of times by seconds.
  const find = async (time: number): Promise<number> => {
    let low = oldest
    let high = last + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const at = await replays.findTime(access, endpoint, middle)
      if (at === undefined || at >= time) high = middle
      else low = middle + 1
    }
    return low
  }
  return {
    after: (await find(since - SLACK_MS)) - 1,
    last: until === undefined ? last : Math.min(last, await find(until + SLACK_MS)),
    since,
    until,
  }
}

const BATCH = 1_000
const SLACK_MS = 60_000
