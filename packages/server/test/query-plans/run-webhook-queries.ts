import type { WorkspaceAccess } from '../../src/access/auth/caller.ts'
import { createDeliveryListStore } from '../../src/activity/webhooks/delivery-store.ts'
import { createReplayStore } from '../../src/activity/webhooks/replay-store.ts'
import type { WebhookEndpoint } from '../../src/activity/webhooks/webhook-endpoint.ts'
import {
  createWebhookEndpointStore,
  toWebhookEndpoint,
} from '../../src/activity/webhooks/webhook-endpoint-store.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import { createSampleRows } from '../../src/platform/storage/test/sample-rows.ts'
import type { FilledRows } from './fill-database.ts'

interface Run extends FilledRows {
  readonly database: Database
  readonly access: WorkspaceAccess
}

const NOW = 1_700_000_000_000

/** The queries of requests to webhook endpoints, and of replays. */
export async function queryWebhooks({ database, access, workspaceId }: Run): Promise<void> {
  const endpoints = createWebhookEndpointStore(database)
  const sample = createSampleRows().webhook_endpoints
  const endpoint = { ...toWebhookEndpoint(sample), workspaceId, pending: 0 }
  const { endpointId } = endpoint
  const page = { limit: 25, after: { createdAt: NOW, id: 'whe_0' } }
  await endpoints.list(access, workspaceId, page)
  await database.transaction(async (trx) => {
    await endpoints.count(trx, access, workspaceId)
    await endpoints.insert(trx, endpoint)
    await endpoints.find(trx, access, endpointId)
    await endpoints.update(trx, access, endpointId, { description: 'new', updatedAt: NOW })
    await endpoints.pause(trx, access, endpoint)
    await endpoints.activate(trx, access, endpoint, NOW)
  })
  await queryReplays({ database, access, endpoint })
  const deliveries = createDeliveryListStore(database)
  const before = { sequence: 1_000, round: 1 }
  for (const state of ['failed', undefined] as const)
    for (const position of [before, undefined])
      await deliveries.list(access, endpoint, position, { state, limit: 100 })
  await deliveries.listOfEvent(access, endpoint, 'evt_none', 1)
  await deliveries.listFailures(access, endpoint, 1, 100)
  await database.transaction((trx) => endpoints.remove(trx, access, endpointId, NOW))
}

async function queryReplays({
  database,
  access,
  endpoint,
}: Pick<Run, 'database' | 'access'> & { readonly endpoint: WebhookEndpoint }): Promise<void> {
  const replays = createReplayStore(database, () => NOW)
  const filtered = {
    ...endpoint,
    types: ['account.*', 'link.created'],
    definitionIds: ['def_none'] as const,
  }
  const range = { after: 0, since: 1 }
  await database.transaction(async (trx) => {
    for (const selection of [
      { range: { ...range, last: 1_000, until: NOW } },
      { range: { ...range, last: 1_000 } },
      { range },
      { eventIds: ['evt_none'] as const },
    ])
      await replays.queue(trx, access, filtered, { ...selection, isDeliveredIncluded: false })
    await replays.queue(trx, access, endpoint, { range, isDeliveredIncluded: true })
  })
  await replays.listKnown(access, endpoint, ['evt_none'])
  await replays.findTime(access, endpoint, 1)
  await replays.listFailed(access, endpoint, 0, 1_000)
  await replays.listReady(100)
  await replays.promote(endpoint.endpointId)
}
