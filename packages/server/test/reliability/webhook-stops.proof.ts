import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDispatchTestContext } from '../../src/activity/webhooks/test/dispatch-context.ts'
import { createRandom } from '../create-random.ts'
import { describePostgres } from '../postgres.ts'
import {
  addTarget,
  evaluate,
  killProcess,
  publishAll,
  startSender,
  untilDelivered,
} from './webhook-targets.ts'

const EVENTS = Number(process.env.WEBHOOK_STOP_EVENTS ?? 800)
const STOPS = Number(process.env.WEBHOOK_STOPS ?? 4)
/** Longer than a lease of the sender, and longer than PostgreSQL keeps a transaction that waits for its client. */
const STOPPED_MS = [3_000, 12_000]
/** Enough to settle what was in flight. */
const RESUMED_MS = 1_000
/** Two endpoints with at most 64 requests in flight each, and what waits for its settlement. */
const MAX_REPEATED_PER_STOP = 200
const seed = Number(process.env.WEBHOOK_STOP_SEED ?? Date.now() % 1_000_000)

describePostgres('Webhooks of two nodes, one of which is stopped (SIGSTOP)', (server) => {
  it('are delivered by the other node, all and in order, and the resumed one changes nothing', async (test) => {
    const t = await startDispatchTestContext({ url: await server().createDatabase('stops') })
    const random = createRandom(seed)
    const workspaceId = await t.createWorkspace()
    let isFailing = false
    const addEndpoint = () => addTarget(t, workspaceId, 'account', () => isFailing)
    const targets = [await addEndpoint(), await addEndpoint()]
    const senders = [await startSender(t, {}), await startSender(t, {})]
    test.after(async () => {
      for (const sender of senders) await killProcess(sender)
      for (const { receiver } of targets) await receiver.close()
      await t.close()
    })
    let published = 0
    let deliveredMeanwhile = 0
    for (let stop = 0; stop < STOPS; stop += 1) {
      const writing = publishAll(t, workspaceId, EVENTS / STOPS)
      published += EVENTS / STOPS
      const threshold = countAccepted() + 10 + random() * 60
      while (countAccepted() < threshold) await sleep(1)
      const victim = senders[stop % 2]
      victim?.kill('SIGSTOP')
      // The stopped node finds failures in its sockets, of events that the other node delivers meanwhile.
      isFailing = true
      await sleep(20)
      isFailing = false
      await writing
      const before = countAccepted()
      await sleep(STOPPED_MS[stop % STOPPED_MS.length] ?? 0)
      await untilDelivered(t, targets, published)
      deliveredMeanwhile += countAccepted() - before
      const states = await listStates()
      victim?.kill('SIGCONT')
      await sleep(RESUMED_MS)
      assert.deepEqual(await listStates(), states, 'the resumed node has changed deliveries')
    }
    const results = targets.map((target) => evaluate(target, EVENTS))
    test.diagnostic(
      `WEBHOOK_STOP_SEED=${seed}: ${STOPS} stops, ${deliveredMeanwhile} delivered meanwhile, ${JSON.stringify(results)}`,
    )
    assert.ok(deliveredMeanwhile > 0, 'no stop left anything to the other node')
    for (const { lost, inversions, duplicates } of results) {
      assert.deepEqual([lost, inversions], [0, 0])
      assert.ok(duplicates <= STOPS * MAX_REPEATED_PER_STOP, `${duplicates} repeated`)
    }

    function countAccepted(): number {
      return targets.reduce((sum, { accepted }) => sum + accepted.length, 0)
    }

    function listStates() {
      return Promise.all(targets.map(({ endpointId }) => t.listDeliveries(endpointId)))
    }
  })
})
