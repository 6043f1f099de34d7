import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../test/postgres.ts'
import { type TestApp, testApp } from '../../test/test-app.ts'
import { expectCreated } from '../../test/test-context.ts'

describeOnBothDatabases('The metrics of what has to be done', (newUrl) => {
  let t: TestApp
  before(async () => {
    t = await testApp({ url: await newUrl() })
  })
  after(() => t.close())

  async function readMetric(name: string): Promise<number> {
    const { text } = await t.call('GET', '!/metrics')
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return Number(line?.slice(name.length + 1))
  }

  it('have for how long the endpoint that is due the longest has been due, of those that no node sends to', async () => {
    assert.equal(await readMetric('linchpin_webhook_lag_seconds'), 0)
    const body = { url: 'http://127.0.0.1:9/hook' }
    for (const [waits, leasedFor] of [
      [90_000, undefined],
      [95_000, -1_000],
      [-90_000, undefined],
      // A node sends to it: only its receiver may be slow.
      [900_000, 300_000],
    ] as const) {
      const { webhookEndpointId: id } = expectCreated(
        await t.call('POST', '/v1/webhook_endpoint', { body }),
      )
      const due_at = Date.now() - waits
      await t.database.transaction((trx) =>
        trx
          .updateTable('webhook_endpoints')
          .set({
            due_at,
            ...(leasedFor !== undefined && {
              lease_owner: 'other',
              lease_until: Date.now() + leasedFor,
            }),
          })
          .where('endpoint_id', '=', id)
          .execute(),
      )
    }
    const lag = await readMetric('linchpin_webhook_lag_seconds')
    assert.ok(lag >= 95 && lag < 105, String(lag))
  })

  it('have for how long the oldest event has waited for its number', async () => {
    const lag = await readMetric('linchpin_event_lag_seconds')
    assert.ok(lag >= 0 && lag < 10, String(lag))
  })

  it('count the data keys that a rotation has left', async () => {
    const name = (state: string) => `linchpin_data_keys_outdated{state="${state}"}`
    const expectCounts = async (other: number, replaced: number) =>
      assert.deepEqual(
        [await readMetric(name('other_key')), await readMetric(name('being_replaced'))],
        [other, replaced],
      )
    await t.otherUser()
    const [first] = await t.database.read.selectFrom('workspace_keys').selectAll().execute()
    assert.ok(first)
    await expectCounts(0, 0)
    for (const key_id of ['a', 'zz']) {
      await change({ key_id })
      await expectCounts(1, 0)
    }
    await change({ key_id: first.key_id, previous_key_id: 'a', previous_wrapped_key: Buffer.of(1) })
    await expectCounts(0, 1)

    async function change(columns: object): Promise<void> {
      await t.database.transaction((trx) =>
        trx
          .updateTable('workspace_keys')
          .set(columns)
          .where('workspace_id', '=', String(first?.workspace_id) as `wsp_${string}`)
          .execute(),
      )
    }
  })
})
