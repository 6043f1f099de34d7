import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { newId } from '../../platform/storage/id.ts'
import type { DeliveryRow } from './delivery.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'

const COUNT = 2_500

describeOnBothDatabases('GET /v1/webhook_endpoint/{id}/delivery', (newUrl) => {
  let t: TestContext
  let path: string
  const rows: DeliveryRow[] = []
  before(async () => {
    t = await testContext({ url: await newUrl() })
    const body = { url: 'http://127.0.0.1:9/', types: ['webhook.test'], paused: true }
    const response = await t.call('POST', '/v1/webhook_endpoint', { body })
    const endpointId: WebhookEndpointId = expectCreated(response).webhookEndpointId
    path = `/v1/webhook_endpoint/${endpointId}/delivery`
    for (let sequence = 1; sequence <= COUNT; sequence += 1)
      rows.push(createRow(endpointId, t.workspaceId, sequence))
    const last = rows.at(-1) ?? assert.fail()
    rows.push({ ...last, round: 1, state: 'pending' })
    await t.database.transaction(async (trx) => {
      for (let start = 0; start < rows.length; start += 500)
        await trx
          .insertInto('deliveries')
          .values(rows.slice(start, start + 500))
          .execute()
      await trx
        .insertInto('delivery_failures')
        .values({
          endpoint_id: endpointId,
          sequence: COUNT,
          round: 0,
          attempt: 1,
          at: 1,
          ms: 5,
          status: 503,
          code: 'status_503',
          response: 'busy',
          node: 'node-1',
        })
        .execute()
    })
  })
  after(() => t.close())

  const listAll = async (query: string) => {
    const found: { sequence: number; round: number }[] = []
    let url = `${path}${query}`
    for (let pages = 0; ; pages += 1) {
      assert.ok(pages < 100)
      const response = await t.call('GET', url)
      found.push(...expectOk(response))
      const [, next] = /<([^>]+)>/.exec(String(response.headers.link ?? '')) ?? []
      if (next === undefined) return found
      url = `!${new URL(next).pathname}${new URL(next).search}`
    }
  }

  it('200: pages have every delivery once, the newest events first', async () => {
    const found = await listAll('?limit=400')
    assert.deepEqual(
      found.map(({ sequence, round }) => [sequence, round]),
      rows.map(({ sequence, round }) => [sequence, round]).toReversed(),
    )
  })

  it('200: filters by state, type and time', async () => {
    assert.equal((await listAll('?state=failed')).length, COUNT / 10 - 1)
    assert.equal((await listAll('?type=account.created&limit=7')).length, COUNT / 100 + 1)
    assert.equal((await listAll(`?since=${new Date(2_001).toISOString()}`)).length, 501)
    assert.deepEqual(await listAll('?type=none'), [])
  })

  it('200: the delivery of an event has the attempts that failed', async () => {
    const { event_id: eventId } = rows.at(-1) ?? assert.fail()
    const { failures, ...delivery } = expectOk(await t.call('GET', `${path}/${eventId}`))
    assert.deepEqual([delivery.eventId, delivery.round, delivery.state], [eventId, 1, 'pending'])
    assert.deepEqual(failures, [
      {
        round: 0,
        attempt: 1,
        at: new Date(1).toISOString(),
        ms: 5,
        status: 503,
        code: 'status_503',
        response: 'busy',
      },
    ])
  })

  it('400 for a state, a time or a cursor that is invalid', async () => {
    for (const query of ['state=lost', 'since=yesterday', 'limit=0', 'cursor=x', 'other=1'])
      expectError(await t.call('GET', `${path}?${query}`), 'invalid_parameter')
  })

  it('404 for the endpoint of another user, and for an event without a delivery', async () => {
    const { token } = await t.otherUser()
    expectError(await t.call('GET', path, { token }), 'webhook_endpoint_not_found')
    const unknown = `${path}/${newId('evt', 1)}`
    expectError(await t.call('GET', unknown), 'event_not_found')
    expectError(await t.call('GET', unknown, { token }), 'webhook_endpoint_not_found')
  })
})

function createRow(
  endpoint_id: WebhookEndpointId,
  workspace_id: `wsp_${string}`,
  sequence: number,
): DeliveryRow {
  return {
    endpoint_id,
    workspace_id,
    sequence,
    round: 0,
    event_id: newId('evt', sequence),
    type: sequence % 100 === 0 ? 'account.created' : 'account.updated',
    subject: newId('acc', 1),
    state: sequence % 10 === 0 && sequence !== COUNT ? 'failed' : 'delivered',
    attempts: 1,
    created_at: sequence,
    due_at: sequence,
    last_status: 200,
    last_ms: 3,
    last_at: sequence,
  }
}
