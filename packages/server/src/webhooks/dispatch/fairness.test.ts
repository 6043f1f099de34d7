import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEgressGateway, parseAllowList } from '@linchpin/runner'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { createLog } from '../../http/log.ts'
import { type DispatchTestContext, startDispatchTestContext } from '../test/dispatch-context.ts'
import { startReceiver } from '../test/receiver.ts'
import { startDispatcher } from './dispatcher.ts'

const EVENTS = Number(process.env.WEBHOOK_LOAD ?? 40)
const HEALTHY = 8

describeOnBothDatabases('Webhooks of several tenants', (newUrl) => {
  it('arrive as soon beside a dead and a hanging endpoint as alone', async (test) => {
    const t = await startDispatchTestContext({ url: await newUrl() })
    const alone = await measure(t, [])
    const hanging = await startReceiver(() => {})
    const beside = await measure(t, ['http://127.0.0.1:1/', hanging.url], hanging.close)
    await t.close()
    test.diagnostic(JSON.stringify({ alone, beside }))
    // A busy machine delays both.
    assert.ok(beside.p95 <= 1.2 * alone.p95 + MARGIN_MS, `${beside.p95} ms, alone ${alone.p95} ms`)
  })
})

const MARGIN_MS = 250

/** Delivers to eight healthy endpoints, beside others, each of a tenant of its own. */
async function measure(
  t: DispatchTestContext,
  others: readonly string[],
  closeOthers: () => Promise<void> = async () => {},
) {
  const egressGateway = createEgressGateway({ allow: parseAllowList('webhook=127.0.0.0/8') })
  const receivers = await Promise.all(
    Array.from({ length: HEALTHY }, () =>
      startReceiver((response) => setTimeout(() => response.end(), 10)),
    ),
  )
  for (const url of [...others, ...receivers.map((each) => each.url)]) {
    const workspaceId = await t.createWorkspace()
    await t.createEndpoint(workspaceId, { url, ordering: 'none' })
    await t.database.transaction(async (trx) => {
      for (let count = 0; count < EVENTS; count += 1)
        await t.publishIn(trx, workspaceId, 'account.updated', `acc_${count}`)
    })
    await t.number(workspaceId)
  }
  const startedAt = Date.now()
  const dispatcher = startDispatcher({
    ...{ database: t.database, vault: t.vault, egressGateway, log: createLog('silent') },
    ...{ now: Date.now, onTransition: async () => {} },
  })
  dispatcher.wake([])
  while (receivers.some(({ received }) => received.length < EVENTS)) {
    assert.ok(Date.now() - startedAt < 60_000, 'the healthy endpoints got everything')
    await sleep(10)
  }
  const delays = receivers
    .flatMap(({ received }) => received.map(({ at }) => at - startedAt))
    .toSorted((a, b) => a - b)
  // Ends the requests that hang.
  await closeOthers()
  await dispatcher.stop()
  await egressGateway.close()
  for (const receiver of receivers) await receiver.close()
  const perSecond = Math.round((HEALTHY * EVENTS * 1_000) / (delays.at(-1) ?? 1))
  return { p95: delays[Math.floor(delays.length * 0.95)] ?? 0, perSecond }
}
