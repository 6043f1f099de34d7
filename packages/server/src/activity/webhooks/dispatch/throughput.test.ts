import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEgressGateway, parseAllowList } from '@linchpin/runner'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { createLog } from '../../../platform/http/log.ts'
import { type DispatchTestContext, startDispatchTestContext } from '../test/dispatch-context.ts'
import { startDispatcher } from './dispatcher.ts'

/** `npm run proof -- webhook-load` measures; the short form only checks that everything arrives. */
const IS_PROOF = process.env.WEBHOOK_LOAD !== undefined
const EVENTS = Number(process.env.WEBHOOK_LOAD ?? 20)
const PROGRAM = path.join(import.meta.dirname, '..', 'test', 'receiver-program.ts')
const TIMEOUT_MS = 120_000

describeOnBothDatabases('Webhooks to receivers that answer after 10 ms', (newUrl) => {
  for (const [receivers, min] of [
    [1, 300],
    [8, 1_000],
  ] as const)
    it(`arrive at ${receivers}: at least ${min} per second in the proof`, async (test) => {
      const t = await startDispatchTestContext({ url: await newUrl() })
      const child = fork(PROGRAM, [String(receivers)], { execArgv: [] })
      const [ports] = await once(child, 'message')
      // The first run compiles the code. The fastest counts: others use the same processor.
      const rates = [await measure(t, child, ports)]
      while (IS_PROOF && rates.length < 4 && Math.max(...rates) < min)
        rates.push(await measure(t, child, ports))
      child.disconnect()
      await t.close()
      test.diagnostic(`${rates.map(Math.round).join(', ')} per second`)
      if (IS_PROOF) assert.ok(Math.max(...rates) >= min)
    })
})

/** Returns the number of deliveries per second. */
async function measure(
  t: DispatchTestContext,
  child: ChildProcess,
  ports: readonly number[],
): Promise<number> {
  for (const port of ports) await addEvents(t, `http://127.0.0.1:${port}/`)
  const total = (await countRequests(child)) + EVENTS * ports.length
  const egressGateway = createEgressGateway({ allow: parseAllowList('webhook=127.0.0.0/8') })
  const startedAt = performance.now()
  const dispatcher = startDispatcher({
    database: t.database,
    vault: t.vault,
    egressGateway,
    log: createLog('silent'),
    now: Date.now,
    onTransition: async () => {},
  })
  dispatcher.wake([])
  while ((await countRequests(child)) < total) {
    assert.ok(performance.now() - startedAt < TIMEOUT_MS, 'everything arrived')
    await sleep(10)
  }
  const perSecond = (EVENTS * ports.length * 1_000) / (performance.now() - startedAt)
  await dispatcher.stop()
  await egressGateway.close()
  return perSecond
}

async function countRequests(child: ChildProcess): Promise<number> {
  const response = once(child, 'message')
  child.send('count')
  return (await response)[0]
}

/** An endpoint with events of 50 accounts, in their order. */
async function addEvents(t: DispatchTestContext, url: string): Promise<void> {
  const workspaceId = await t.createWorkspace()
  await t.createEndpoint(workspaceId, { url })
  await t.database.transaction(async (trx) => {
    for (let count = 0; count < EVENTS; count += 1)
      await t.publishIn(trx, workspaceId, 'account.updated', `acc_${count % 50}`)
  })
  await t.number(workspaceId)
}
