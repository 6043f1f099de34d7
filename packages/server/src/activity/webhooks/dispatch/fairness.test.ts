import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { sendWebhook } from '../send-webhook.ts'
import { type DispatchTestContext, startDispatchTestContext } from '../test/dispatch-context.ts'
import { startReceiver } from '../test/receiver.ts'
import { measureTenantLoad, type Sender, type TenantLoadOptions } from '../test/tenant-load.ts'
import type { WebhookEndpointId } from '../webhook-endpoint.ts'
import { toWebhookEndpoint } from '../webhook-endpoint-store.ts'
import { ReceiverCache } from './attempt-delivery.ts'
import { createDeliveryClaimStore } from './claim-store.ts'
import { FAILURES_TO_OPEN } from './plan-settlement.ts'

/** `npm run proof -- webhook-load` measures times; the short form does not depend on the speed of the machine. */
const IS_PROOF = process.env.WEBHOOK_LOAD !== undefined
const EVENTS = Number(process.env.WEBHOOK_LOAD ?? 80)
const DEAD_ENDPOINTS = Number(process.env.WEBHOOK_BACKLOG_ENDPOINTS ?? 20)
const BACKLOG_EVENTS = Number(process.env.WEBHOOK_BACKLOG ?? 200)
/** Of the queue that all share: as many as eight endpoints may have. */
const MAX_REQUESTS = 64
const MAX_ROUNDS = 5
const MAX_RATIO = 1.2
/** Two endpoints more to lease. */
const MARGIN_MS = 20

describeOnBothDatabases('Webhooks of several tenants', (newUrl) => {
  let t: DispatchTestContext
  before(async () => {
    t = await startDispatchTestContext({ url: await newUrl() })
    // The first run compiles the code.
    if (IS_PROOF) await measureTenantLoad(t, { events: EVENTS })
  })
  after(() => t.close())

  it('arrive while a dead and a hanging endpoint fail: in the proof, as soon as alone', async (test) => {
    const { isFair, ...figures } = await compare(t, async () => {
      const hanging = await startReceiver(() => {})
      const onEnd = () => void hanging.close()
      return { others: ['http://127.0.0.1:1/', hanging.url], onEnd }
    })
    test.diagnostic(JSON.stringify(figures))
    assert.ok(isFair)
  })

  it('wait for the hanging endpoint if all share one queue (control)', async () => {
    const hanging = await startReceiver(() => {})
    const { missing } = await measureTenantLoad(t, {
      events: EVENTS,
      others: ['http://127.0.0.1:1/', hanging.url],
      send: sendInOneQueue,
      isOver: () => hanging.received.length >= MAX_REQUESTS,
      onEnd: () => void hanging.close(),
    })
    assert.ok(missing > 0)
  })

  it(`arrive beside ${DEAD_ENDPOINTS} dead endpoints of one tenant with ${BACKLOG_EVENTS} events each, which get few requests`, async (test) => {
    const endpointIds = await addBacklog(t)
    const { isFair, ...figures } = await compare(t, async () => {
      for (const endpointId of endpointIds)
        await t.changeEndpoint(endpointId, { due_at: 1, retry_at: 1 })
      return {}
    })
    test.diagnostic(JSON.stringify(figures))
    assert.ok(isFair)
    for (const endpointId of endpointIds) {
      const attempts = (await t.listFailures(endpointId)).length
      assert.ok(attempts <= FAILURES_TO_OPEN + figures.rounds, `${attempts} requests`)
    }
  })
})

/** In the proof, measures both in turns until the best rounds are fair: others use the same processor. */
async function compare(
  t: DispatchTestContext,
  prepare: () => Promise<Omit<TenantLoadOptions, 'events'>>,
) {
  let alone = Number.POSITIVE_INFINITY
  let beside = Number.POSITIVE_INFINITY
  let isFair = false
  let rounds = 0
  while (!isFair && rounds < MAX_ROUNDS) {
    rounds += 1
    if (IS_PROOF) alone = Math.min(alone, (await measureTenantLoad(t, { events: EVENTS })).p95)
    const options = await prepare()
    beside = Math.min(beside, (await measureTenantLoad(t, { events: EVENTS, ...options })).p95)
    isFair = beside <= MAX_RATIO * alone + MARGIN_MS
  }
  return { alone, beside, rounds, isFair }
}

/** As many requests at once as eight endpoints may have, for whatever is due. */
const sendInOneQueue: Sender = async (t, egressGateway) => {
  const stopping = new AbortController()
  const claims = createDeliveryClaimStore(t.database, Date.now)
  const rows = await t.database.read
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('state', '=', 'active')
    .execute()
  const lists = await Promise.all(
    rows.map(async (row) => {
      const { endpointId, workspaceId, ...endpoint } = toWebhookEndpoint(row)
      const due = await claims.listDue({ endpointId, workspaceId, owner: '' }, EVENTS)
      const receiver = await new ReceiverCache(t.vault).open(
        { endpointId, workspaceId, ...endpoint },
        Date.now(),
      )
      return due.map(({ event }) => ({ event, receiver }))
    }),
  )
  const queue = Array.from({ length: EVENTS }, (_, index) =>
    lists.map((list) => list[index]),
  ).flat()
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { event, receiver } = next
      if (event === undefined || stopping.signal.aborted) continue
      const attempt = { ...receiver, event, attempt: 1, signal: stopping.signal }
      await sendWebhook({ egressGateway, now: Date.now }, attempt)
    }
  }
  const done = Promise.all(Array.from({ length: MAX_REQUESTS }, work))
  return async () => {
    stopping.abort()
    await done
  }
}

/** Dead endpoints of one tenant, whose deliveries are all due: each has the same event. */
async function addBacklog(t: DispatchTestContext): Promise<readonly WebhookEndpointId[]> {
  const workspaceId = await t.createWorkspace()
  const endpoint = { url: 'http://127.0.0.1:1/', ordering: 'none' } as const
  const first = await t.createEndpoint(workspaceId, endpoint)
  await t.publish(workspaceId, 'account.updated', 'acc_1')
  await t.number(workspaceId)
  const endpointIds = [first]
  while (endpointIds.length < DEAD_ENDPOINTS)
    endpointIds.push(await t.createEndpoint(workspaceId, endpoint))
  for (const endpointId of endpointIds)
    await t.database.transaction((trx) =>
      sql`
        with recursive numbers (n) as
          (select 2 union all select n + 1 from numbers where n <= ${sql.lit(BACKLOG_EVENTS)})
        insert into deliveries (endpoint_id, sequence, round, workspace_id, event_id, type, subject,
          state, attempts, created_at, due_at)
        select ${sql.lit(endpointId)}, n, 0, workspace_id, event_id, type, subject, 'pending', 0, 1, 1
        from numbers cross join deliveries
        where endpoint_id = ${sql.lit(first)} and sequence = 1`.execute(trx),
    )
  if (t.database.dialect === 'postgres')
    await t.database.transaction((trx) => sql`analyze deliveries`.execute(trx))
  return endpointIds
}
