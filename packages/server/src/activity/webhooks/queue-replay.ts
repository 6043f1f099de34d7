import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { notFound } from '../../platform/errors.ts'
import type { EventStore } from '../events/event-store.ts'
import type { ReplayQueueStore, ReplaySelection } from './replay-queue-store.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'

export interface QueueReplayDeps {
  readonly events: Pick<EventStore, 'getRange'>
  readonly replayQueue: ReplayQueueStore
}

/** The events of a workspace between two times, in epoch milliseconds. */
export interface TimeRange {
  readonly since: number
  readonly until?: number | undefined
}

/**
 * Queues the events of a time range that an endpoint subscribes to, in batches, and returns how many.
 *
 * @throws ApiError `webhook_endpoint_not_found` if the endpoint is deleted meanwhile
 */
export async function queueTimeRange(
  deps: QueueReplayDeps,
  access: WorkspaceAccess,
  endpoint: WebhookEndpoint,
  { since, until }: TimeRange,
  { isDeliveredIncluded }: { readonly isDeliveredIncluded: boolean },
): Promise<number> {
  const { after, last } = await findSequences(deps, access, endpoint, { since, until })
  let queued = 0
  for (let position = after; position < last; position += BATCH) {
    const sequences = { after: position, until: Math.min(position + BATCH, last) }
    const selection = { sequences, since, until, isDeliveredIncluded, isFiltered: true }
    queued += await queueBatch(deps, access, endpoint, selection)
  }
  return queued
}

/** As `queueTimeRange`, for one batch. */
export async function queueBatch(
  { replayQueue }: Pick<QueueReplayDeps, 'replayQueue'>,
  access: WorkspaceAccess,
  endpoint: WebhookEndpoint,
  selection: ReplaySelection,
): Promise<number> {
  const count = await replayQueue.queue(access, endpoint, selection)
  if (count === undefined) throw notFound('webhook_endpoint')
  return count
}

/** The sequence numbers that contain the events of a time range: above `after` and up to `last`. */
export async function findSequences(
  { events, replayQueue }: QueueReplayDeps,
  access: WorkspaceAccess,
  endpoint: WebhookEndpoint,
  { since, until }: TimeRange,
): Promise<{ after: number; last: number }> {
  const { oldest, last } = await events.getRange(access, endpoint.workspaceId)
  // The first event at or after a time, in the order of commits, which differs from that of times by seconds.
  const find = async (time: number): Promise<number> => {
    let low = oldest
    let high = last + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const at = await replayQueue.findTime(access, endpoint, middle)
      if (at === undefined || at >= time) high = middle
      else low = middle + 1
    }
    return low
  }
  return {
    after: (await find(since - SLACK_MS)) - 1,
    last: until === undefined ? last : Math.min(last, await find(until + SLACK_MS)),
  }
}

export const BATCH = 1_000
const SLACK_MS = 60_000
