import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDispatchTestContext } from '../../src/activity/webhooks/test/dispatch-context.ts'
import type { Ordering } from '../../src/activity/webhooks/webhook-endpoint.ts'
import { describeOnBothDatabases } from '../postgres.ts'
import {
  addTarget,
  countUnsettled,
  evaluate,
  killProcess,
  publishAll,
  startSender,
  until,
  untilDelivered,
} from './webhook-targets.ts'

const EVENTS = Number(process.env.WEBHOOK_EVENTS ?? 80)
const KILLS = Number(process.env.WEBHOOK_KILLS ?? 2)
const TARGETS = 2

describeOnBothDatabases('Webhooks, while their sender is killed', (newUrl) => {
  it('arrive all, in the order of their account, and twice only if they were not settled', async (test) => {
    const run = await runWithKills(await newUrl(), 'account')
    test.diagnostic(JSON.stringify(run))
    assert.deepEqual([run.lost, run.inversions], [0, 0])
    // A busy machine may not run a sender for as long as its lease lasts.
    const more = EVENTS * TARGETS * 0.01
    assert.ok(run.duplicates <= run.unsettled + more, `${run.duplicates} of ${run.unsettled}`)
  })

  it('get lost if they are settled before they are sent (control)', async (test) => {
    const run = await runWithKills(await newUrl(), 'none', { MARKS_FIRST: '1' })
    test.diagnostic(JSON.stringify(run))
    assert.ok(run.lost > 0)
  })
})

async function runWithKills(
  url: string | undefined,
  ordering: Ordering,
  environment: Readonly<Record<string, string>> = {},
) {
  const t = await startDispatchTestContext({ url })
  const workspaceId = await t.createWorkspace()
  const addEndpoint = () => addTarget(t, workspaceId, ordering)
  const targets = await Promise.all(Array.from({ length: TARGETS }, addEndpoint))
  const start = () => startSender(t, environment)
  // Two nodes on PostgreSQL; SQLite has one.
  const senders = [await start(), ...(url === undefined ? [] : [await start()])]
  const writing = publishAll(t, workspaceId, EVENTS)
  let unsettled = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const threshold = ((kill + 0.5) * EVENTS) / (KILLS + 1)
    await until(() => (targets[0]?.accepted.length ?? 0) >= threshold, EVENTS)
    const victim = senders[kill % senders.length]
    assert.ok(victim)
    await killProcess(victim)
    // What the kernel still had is received by now.
    await sleep(100)
    unsettled += await countUnsettled(t, targets)
    senders[kill % senders.length] = await start()
  }
  await writing
  await untilDelivered(t, targets, EVENTS)
  await sleep(300)
  for (const sender of senders) await killProcess(sender)
  const result = targets.map((target) => evaluate(target, EVENTS))
  for (const { receiver } of targets) await receiver.close()
  await t.close()
  const sum = (key: 'lost' | 'inversions' | 'duplicates') =>
    result.reduce((total, each) => total + each[key], 0)
  return {
    lost: sum('lost'),
    inversions: sum('inversions'),
    duplicates: sum('duplicates'),
    unsettled,
  }
}
