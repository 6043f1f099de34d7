import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { notFound } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { splitIntoChunks } from '../../platform/storage/split-into-chunks.ts'
import type { EventId } from '../events/event.ts'
import type { EventStore } from '../events/event-store.ts'
import type { ReplayRange, ReplaySelection, ReplayStore } from './replay-store.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'

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
export async function queueEvents(
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
