import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEgressGateway, type EgressGateway, parseAllowList } from '@linchpin/runner'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { createLog } from '../../../platform/http/log.ts'
import { type DispatchTestContext, startDispatchTestContext } from '../test/dispatch-context.ts'
import { type ReceivedDelivery, startReceiver } from '../test/receiver.ts'
import type { WebhookEndpointId } from '../webhook-endpoint.ts'
import { type Dispatcher, type DispatcherDeps, startDispatcher } from './dispatcher.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

describeOnBothDatabases('The dispatcher of webhooks', (newUrl) => {
  let t: DispatchTestContext
  let egressGateway: EgressGateway
  const transitions: string[] = []
  before(async () => {
    t = await startDispatchTestContext({ url: await newUrl() })
    egressGateway = createEgressGateway({ allow: parseAllowList('webhook=127.0.0.0/8') })
  })
  after(async () => {
    await egressGateway.close()
    await t.close()
  })
  const dispatch = (deps: Partial<DispatcherDeps> = {}): Dispatcher =>
    startDispatcher({
      database: t.database,
      vault: t.vault,
      egressGateway,
      log: createLog('silent'),
      now: Date.now,
      onTransition: async (_trx, { endpointId }, transition) => {
        transitions.push(`${transition} ${endpointId}`)
      },
      ...deps,
    })
  const until = async (isTrue: () => boolean | Promise<boolean>) => {
    const deadline = Date.now() + 20_000
    while (!(await isTrue())) {
      assert.ok(Date.now() < deadline, 'the condition did not become true')
      await sleep(20)
    }
  }
  const publish = async (workspaceId: `wsp_${string}`, subjects: readonly string[]) => {
    for (const subject of subjects) await t.publish(workspaceId, 'account.updated', subject)
    await t.number(workspaceId)
  }
  /** Makes everything due: what waits for a retry, and the probe. */
  const skipWaiting = async (endpointId: WebhookEndpointId) => {
    await t.database.transaction((trx) =>
      trx
        .updateTable('deliveries')
        .set({ due_at: 1 })
        .where('endpoint_id', '=', endpointId)
        .where('state', '=', 'pending')
        .execute(),
    )
    await t.changeEndpoint(endpointId, { due_at: 1, retry_at: null })
  }

  it('sends events signed, in the order of their subject, and gives the endpoint back', async () => {
    const workspaceId = await t.createWorkspace()
    const receiver = await startReceiver((response) => setTimeout(() => response.end(), 5))
    const endpointId = await t.createEndpoint(workspaceId, { url: receiver.url })
    const subjects = Array.from({ length: 60 }, (_, index) => `acc_${index % 6}`)
    await publish(workspaceId, subjects)
    const dispatcher = dispatch()
    dispatcher.wake([workspaceId])
    await until(async () => (await t.readEndpoint(endpointId)).pending === 0)
    await dispatcher.stop()
    await receiver.close()
    assert.equal(receiver.received.length, 60)
    const bySubject = Map.groupBy(receiver.received, ({ event }) => event.subject)
    for (const deliveries of bySubject.values()) {
      const sequences = deliveries.map(({ event }) => event.sequence)
      assert.deepEqual(
        sequences,
        sequences.toSorted((a, b) => a - b),
      )
    }
    const [{ headers, event }] = receiver.received as [ReceivedDelivery]
    assert.equal(headers['webhook-id'], event.id)
    assert.match(String(headers['webhook-signature']), /^v1,/)
    assert.equal(headers['linchpin-event-type'], 'account.updated')
    assert.equal(headers['linchpin-attempt'], '1')
    const row = await t.readEndpoint(endpointId)
    assert.deepEqual([row.lease_owner, row.due_at, row.state], [null, null, 'active'])
    assert.ok(row.last_success_at !== null)
    const rows = await t.listDeliveries(endpointId)
    assert.ok(rows.every((each) => each.state === 'delivered' && each.attempts === 1))
  })

  it('retries what fails, stores why, and lets the next event pass after the fifth attempt', async () => {
    const workspaceId = await t.createWorkspace()
    const receiver = await startReceiver((response, { event }) => {
      response.statusCode = event.sequence === 1 ? 500 : 200
      response.end('no \ud83d\ude00')
    })
    const endpointId = await t.createEndpoint(workspaceId, { url: receiver.url })
    await publish(workspaceId, ['acc_1', 'acc_1', 'acc_1'])
    const dispatcher = dispatch()
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await until(async () => (await t.listDeliveries(endpointId))[0]?.attempts === attempt)
      await until(async () => (await t.readEndpoint(endpointId)).lease_owner === null)
      const [first, second] = await t.listDeliveries(endpointId)
      assert.equal(first?.state, 'pending')
      assert.ok(first.due_at > Date.now(), 'the next attempt waits')
      if (attempt < 5) {
        assert.equal(second?.state, 'held')
        await skipWaiting(endpointId)
      }
    }
    await until(async () => (await t.readEndpoint(endpointId)).pending === 1)
    await dispatcher.stop()
    await receiver.close()
    const sequences = receiver.received.map(({ event }) => event.sequence)
    assert.deepEqual(sequences, [1, 1, 1, 1, 1, 2, 3])
    const attempts = receiver.received.map(({ headers }) => headers['linchpin-attempt'])
    assert.deepEqual(attempts.slice(0, 5), ['1', '2', '3', '4', '5'])
    const failures = await t.listFailures(endpointId)
    assert.deepEqual(
      failures.map(({ attempt, status, code, response }) => [attempt, status, code, response]),
      [1, 2, 3, 4, 5].map((attempt) => [attempt, 500, 'status_500', 'no \ud83d\ude00']),
    )
  })

  it('stops sending to a receiver that fails ten times, probes it, and continues when it recovers', async () => {
    const workspaceId = await t.createWorkspace()
    let isUp = false
    const receiver = await startReceiver((response) => {
      response.statusCode = isUp ? 204 : 503
      response.end()
    })
    const endpointId = await t.createEndpoint(workspaceId, { url: receiver.url, maxInFlight: 1 })
    await publish(
      workspaceId,
      Array.from({ length: 30 }, (_, index) => `acc_${index}`),
    )
    const dispatcher = dispatch()
    await until(async () => (await t.readEndpoint(endpointId)).state === 'failing')
    await until(async () => (await t.readEndpoint(endpointId)).lease_owner === null)
    assert.ok(receiver.received.length <= 11, `${receiver.received.length} requests`)
    const failing = await t.readEndpoint(endpointId)
    assert.ok((failing.retry_at ?? 0) > Date.now() + 20_000)
    assert.equal(failing.due_at, failing.retry_at)
    const before = receiver.received.length
    await skipWaiting(endpointId)
    await until(async () => (await t.readEndpoint(endpointId)).probes === 1)
    assert.equal(receiver.received.length, before + 1, 'one probe')
    const spent = (await t.listDeliveries(endpointId)).reduce((sum, row) => sum + row.attempts, 0)
    assert.equal(spent, receiver.received.length, 'the others spend no attempts')
    isUp = true
    await skipWaiting(endpointId)
    await until(async () => (await t.readEndpoint(endpointId)).pending === 0)
    await dispatcher.stop()
    await receiver.close()
    const { state, failures_in_row, failing_since } = await t.readEndpoint(endpointId)
    assert.deepEqual([state, failures_in_row, failing_since], ['active', 0, null])
    assert.ok(transitions.includes(`recovered ${endpointId}`))
  })

  it('disables an endpoint after five days without success, and at once for 410', async () => {
    const workspaceId = await t.createWorkspace()
    const receiver = await startReceiver((response, { event }) => {
      response.statusCode = event.subject === 'acc_gone' ? 410 : 500
      response.end()
    })
    const dead = await t.createEndpoint(workspaceId, { url: receiver.url })
    await t.changeEndpoint(dead, { failures_in_row: 19, failing_since: Date.now() - 5 * DAY_MS })
    const other = await t.createWorkspace()
    const gone = await t.createEndpoint(other, { url: receiver.url })
    await publish(workspaceId, ['acc_1'])
    await publish(other, ['acc_gone'])
    const dispatcher = dispatch()
    for (const [endpointId, reason] of [
      [dead, 'no_success'],
      [gone, 'receiver_gone'],
    ] as const) {
      await until(async () => (await t.readEndpoint(endpointId)).state === 'disabled')
      const row = await t.readEndpoint(endpointId)
      assert.deepEqual([row.state_reason, row.due_at], [reason, null])
      assert.equal(transitions.filter((each) => each === `disabled ${endpointId}`).length, 1)
    }
    assert.ok(((await dispatcher.countStates()).get('disabled') ?? 0) >= 2)
    await dispatcher.stop()
    await receiver.close()
  })

  it('spends no attempts while no key opens the secrets', async () => {
    const workspaceId = await t.createWorkspace()
    const receiver = await startReceiver()
    const endpointId = await t.createEndpoint(workspaceId, { url: receiver.url })
    const { sealed_secrets } = await t.readEndpoint(endpointId)
    await t.changeEndpoint(endpointId, { sealed_secrets: Buffer.alloc(60, 1) })
    await publish(workspaceId, ['acc_1'])
    const dispatcher = dispatch()
    await until(async () => (await t.readEndpoint(endpointId)).state === 'failing')
    assert.equal((await t.readEndpoint(endpointId)).state_reason, 'key_missing')
    assert.equal((await t.listDeliveries(endpointId))[0]?.attempts, 0)
    await t.changeEndpoint(endpointId, { sealed_secrets })
    await skipWaiting(endpointId)
    await until(() => receiver.received.length === 1)
    await dispatcher.stop()
    await receiver.close()
    assert.equal((await t.readEndpoint(endpointId)).state, 'active')
  })

  it('settles an event that retention has deleted as failed, without a request', async () => {
    const workspaceId = await t.createWorkspace()
    const receiver = await startReceiver()
    const endpointId = await t.createEndpoint(workspaceId, { url: receiver.url })
    await publish(workspaceId, ['acc_1', 'acc_1'])
    await t.database.transaction((trx) =>
      trx
        .deleteFrom('events')
        .where('workspace_id', '=', workspaceId)
        .where('sequence', '=', 1)
        .execute(),
    )
    const dispatcher = dispatch()
    await until(() => receiver.received.length === 1)
    await dispatcher.stop()
    await receiver.close()
    assert.equal(receiver.received[0]?.event.sequence, 2)
    assert.equal((await t.listDeliveries(endpointId))[0]?.state, 'failed')
    assert.equal((await t.listFailures(endpointId))[0]?.code, 'event_deleted')
  })

  it('sends with one node at a time, and takes over when the lease of a dead one expires', async () => {
    const workspaceId = await t.createWorkspace()
    const receiver = await startReceiver((response) => setTimeout(() => response.end(), 20))
    const endpointId = await t.createEndpoint(workspaceId, { url: receiver.url, ordering: 'none' })
    await publish(
      workspaceId,
      Array.from({ length: 40 }, (_, index) => `acc_${index}`),
    )
    const nodes = [dispatch(), dispatch()]
    for (const node of nodes) node.wake([workspaceId])
    await until(async () => (await t.readEndpoint(endpointId)).pending === 0)
    assert.equal(receiver.received.length, 40)
    await Promise.all(nodes.map((node) => node.stop()))
    await t.changeEndpoint(endpointId, {
      lease_owner: 'dead',
      lease_until: t.database.dialect === 'sqlite' ? Date.now() + 30_000 : Date.now() + 1_000,
    })
    await publish(workspaceId, ['acc_1'])
    const survivor = dispatch()
    await until(() => receiver.received.length === 41)
    await survivor.stop()
    await receiver.close()
  })

  it('stops within 8 seconds, settles what has been sent, and gives the leases back', async () => {
    const workspaceId = await t.createWorkspace()
    const receiver = await startReceiver((response, { event }) => {
      if (event.subject === 'acc_slow') setTimeout(() => response.end(), 400)
    })
    const endpointId = await t.createEndpoint(workspaceId, { url: receiver.url })
    await publish(workspaceId, ['acc_slow', 'acc_hanging', 'acc_slow'])
    const dispatcher = dispatch()
    dispatcher.wake([workspaceId])
    await until(() => receiver.received.length === 2)
    const startedAt = performance.now()
    await dispatcher.stop()
    assert.ok(performance.now() - startedAt < 9_500)
    await receiver.close()
    const row = await t.readEndpoint(endpointId)
    assert.deepEqual([row.lease_owner, row.pending], [null, 2])
    const states = (await t.listDeliveries(endpointId)).map(({ state, attempts }) => [
      state,
      attempts,
    ])
    assert.deepEqual(states, [
      ['delivered', 1],
      ['pending', 0],
      ['pending', 0],
    ])
  })
})
