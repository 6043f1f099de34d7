import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { WebhookEndpointRow } from '../../platform/storage/tables.ts'
import { createReplayQueueStore } from './replay-queue-store.ts'
import type { WebhookEndpoint, WebhookEndpointId } from './webhook-endpoint.ts'
import { toWebhookEndpoint } from './webhook-endpoint-row-store.ts'

/** The events of a time range that an endpoint subscribes to: with sequence numbers above `after` and up to `until`. */
interface Replay {
  readonly after: number
  readonly until: number
  /** Epoch milliseconds. */
  readonly since: number
  /** Whether to queue events that the endpoint has accepted, too. */
  readonly isDeliveredIncluded: boolean
}

/** Replays that begin with a change of their endpoint: its row has what is still to be queued, so none ends with a process. */
export function createUnfinishedReplayStore(database: Database, now: () => number) {
  const replays = createReplayQueueStore(database, now)
  return {
    /** Queues the first events, and notes the others for `queueNext`, in the transaction that has changed the endpoint. */
    async begin(
      trx: Transaction,
      endpoint: WebhookEndpoint,
      range: Omit<Replay, 'until'>,
    ): Promise<void> {
      const { endpointId, workspaceId } = endpoint
      const sequences = await trx
        .selectFrom('event_sequences')
        .select('last')
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
      const { replay } = await trx
        .selectFrom('webhook_endpoints')
        .select('replay')
        .where('endpoint_id', '=', endpointId)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirstOrThrow()
      const added = { ...range, until: sequences?.last ?? 0 }
      await queueBatch(trx, endpoint, merge(parse(replay), added))
    },

    /** Endpoints with events that are still to be queued. */
    async listUnfinished(limit: number): Promise<WebhookEndpointId[]> {
      const rows = await database.read
        .selectFrom('webhook_endpoints')
        .select('endpoint_id')
        .where('replay', 'is not', null)
        .where('state', '!=', 'disabled')
        .where('deleted_at', 'is', null)
        .orderBy('endpoint_id')
        .limit(limit)
        .execute()
      return rows.map((row) => row.endpoint_id)
    },

    /** Queues the next events of an endpoint, if there are any. */
    async queueNext(endpointId: WebhookEndpointId): Promise<void> {
      await database.transaction(async (trx) => {
        const row = await lockEndpoint(trx, endpointId)
        const replay = parse(row?.replay)
        if (row !== undefined && replay !== undefined)
          await queueBatch(trx, toWebhookEndpoint(row), replay)
      })
    },
  }

  function lockEndpoint(
    trx: Transaction,
    endpointId: WebhookEndpointId,
  ): Promise<WebhookEndpointRow | undefined> {
    const query = trx
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('endpoint_id', '=', endpointId)
      .where('state', '!=', 'disabled')
      .where('deleted_at', 'is', null)
    return (database.dialect === 'postgres' ? query.forNoKeyUpdate() : query).executeTakeFirst()
  }

  async function queueBatch(
    trx: Transaction,
    endpoint: WebhookEndpoint,
    replay: Replay,
  ): Promise<void> {
    const { after, since, isDeliveredIncluded } = replay
    const until = Math.min(after + BATCH, replay.until)
    const sequences = { after, until }
    const selection = { sequences, since, isDeliveredIncluded, isFiltered: true }
    if (after < until) await replays.queueIn(trx, endpoint, selection)
    const rest = until < replay.until ? JSON.stringify({ ...replay, after: until }) : null
    await trx
      .updateTable('webhook_endpoints')
      .set({ replay: rest })
      .where('endpoint_id', '=', endpoint.endpointId)
      .where('workspace_id', '=', endpoint.workspaceId)
      .execute()
  }
}

export type UnfinishedReplayStore = ReturnType<typeof createUnfinishedReplayStore>

function parse(replay: string | null | undefined): Replay | undefined {
  return replay == null ? undefined : JSON.parse(replay)
}

/** What both select. Events that are on their way are not queued again. */
function merge(former: Replay | undefined, added: Replay): Replay {
  if (former === undefined) return added
  return {
    after: Math.min(former.after, added.after),
    until: Math.max(former.until, added.until),
    since: Math.min(former.since, added.since),
    isDeliveredIncluded: former.isDeliveredIncluded || added.isDeliveredIncluded,
  }
}

const BATCH = 1_000
