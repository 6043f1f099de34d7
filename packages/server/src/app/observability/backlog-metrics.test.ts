import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'

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

  it('say that no endpoint is late while none is due', async () => {
    assert.equal(await readMetric('linchpin_webhook_lag_seconds'), 0)
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
