import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { DeliveryState } from './delivery.ts'

const ENDPOINT = '/v1/webhook_endpoint'
const DAY_MS = 24 * 60 * 60_000

describeOnBothDatabases('POST /v1/webhook_endpoint/{id}/replay', (newUrl) => {
  let t: TestContext
  let eventIds: string[]
  let path: string
  before(async () => {
    t = await testContext({ url: await newUrl() })
    const links = ['a', 'b', 'c', 'd']
    for (const linkName of links)
      expectCreated(await t.call('POST', '/v1/link', { body: { linkName } }))
    const events = await listEvents(links.length)
    eventIds = events.map(({ id }) => id)
    // Paused, so that nothing is sent.
    const body = { url: 'http://127.0.0.1:9/', types: ['link.*'], paused: true }
    const { webhookEndpointId } = expectCreated(await t.call('POST', ENDPOINT, { body }))
    path = `${ENDPOINT}/${webhookEndpointId}`
  })
  after(() => t.close())

  const listEvents = async (count: number): Promise<{ id: string; sequence: number }[]> => {
    const events = expectOk(await t.call('GET', `/v1/event?wait=20&after=${count - 1}`))
    assert.equal(events.length, 1)
    return expectOk(await t.call('GET', '/v1/event?types=link.*'))
  }
  const replay = (body: object) => t.call('POST', `${path}/replay`, { body })
  const listDeliveries = async (query = '') =>
    expectOk(await t.call('GET', `${path}/delivery${query}`))
  const setStates = (state: DeliveryState) =>
    t.database.transaction(async (trx) => {
      await trx.updateTable('deliveries').set({ state }).execute()
      await trx.updateTable('webhook_endpoints').set({ queued: 0, pending: 0 }).execute()
    })

  it('queues the given events, and none twice while it is on its way', async () => {
    const [first, second] = eventIds
    assert.deepEqual(expectOk(await replay({ eventIds: [first, second] })), { queued: 2 })
    assert.deepEqual(expectOk(await replay({ eventIds: [first, second] })), { queued: 0 })
    const deliveries = await listDeliveries()
    assert.deepEqual(
      deliveries.map(({ eventId, state, round }: Record<string, unknown>) => [
        eventId,
        state,
        round,
      ]),
      [
        [second, 'queued', 0],
        [first, 'queued', 0],
      ],
    )
    assert.equal(expectOk(await t.call('GET', path)).pending, 2)
  })

  it('queues what was delivered again, in another round', async () => {
    await setStates('delivered')
    assert.deepEqual(expectOk(await replay({ eventIds: eventIds.slice(0, 1) })), { queued: 1 })
    const [latest] = await listDeliveries('?state=queued')
    assert.deepEqual([latest.eventId, latest.round], [eventIds[0], 1])
    await setStates('delivered')
  })

  it('queues the events of a time range that the endpoint subscribes to', async () => {
    const range = { since: toTime(-DAY_MS), until: toTime(DAY_MS) }
    assert.deepEqual(expectOk(await replay(range)), { queued: 4 })
    await setStates('delivered')
    const past = { since: toTime(-2 * DAY_MS), until: toTime(-DAY_MS) }
    assert.deepEqual(expectOk(await replay(past)), { queued: 0 })
  })

  it('queues the events that failed and were never delivered', async () => {
    await t.database.transaction(async (trx) => {
      await trx
        .updateTable('deliveries')
        .set({ state: 'failed' })
        .where('round', '=', 0)
        .where('event_id', '=', eventIds[3] as `evt_${string}`)
        .execute()
    })
    assert.deepEqual(expectOk(await replay({ failed: true })), { queued: 1 })
    const [delivery] = await listDeliveries('?state=queued')
    assert.equal(delivery.eventId, eventIds[3])
    await setStates('delivered')
  })

  it('makes queued events pending once the endpoint is active', async () => {
    assert.deepEqual(expectOk(await replay({ eventIds })), { queued: 4 })
    await delay(700)
    assert.equal((await listDeliveries('?state=queued')).length, 4)
    expectOk(await t.call('POST', path, { body: { paused: false } }))
    for (let wait = 0; (await listDeliveries('?state=queued')).length > 0; wait += 1) {
      assert.ok(wait < 200)
      await delay(50)
    }
    expectOk(await t.call('POST', path, { body: { paused: true } }))
  })

  it('400 unless the body has exactly one kind of selection', async () => {
    const since = toTime(0)
    for (const body of [{}, { failed: false }, { since }, { failed: true, eventIds }])
      expectError(await replay(body), 'validation_failed')
    expectError(await replay({ eventIds: [] }), 'validation_failed')
    expectError(await replay({ since: 'yesterday', until: since }), 'validation_failed')
  })

  it('400 unknown_reference for events of another workspace', async () => {
    const { token } = await t.otherUser()
    expectCreated(await t.call('POST', '/v1/link', { token, body: { linkName: 'x' } }))
    const [event] = expectOk(await t.call('GET', '/v1/event?wait=20', { token }))
    const error = expectError(
      await replay({ eventIds: [eventIds[0], event.id] }),
      'unknown_reference',
    )
    assert.deepEqual(Object.keys(error.errors), ['eventIds.1'])
  })

  it('404 for an endpoint of another user', async () => {
    const { token } = await t.otherUser()
    const body = { failed: true }
    const response = await t.call('POST', `${path}/replay`, { token, body })
    expectError(response, 'webhook_endpoint_not_found')
  })

  itRequiresScope(
    () => t,
    'POST',
    () => `${path}/replay`,
    { scope: 'webhooks', body: { failed: true } },
  )
})

function toTime(offsetMs: number): string {
  return new Date(Date.now() + offsetMs).toISOString()
}
