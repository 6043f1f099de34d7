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
import { createEventStore } from './event-store.ts'

const DAY_MS = 24 * 60 * 60_000

describeOnBothDatabases('Event retention', (newUrl) => {
  let t: TestContext
  let now = Date.now()
  before(async () => {
    t = await testContext({ url: await newUrl(), now: () => now })
  })
  after(() => t.close())

  it('deletes what is older than the retention, reports the gap, and keeps counting', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    // As the days pass, the audit trail publishes checkpoints, too.
    const list = (query: string) =>
      t.call('GET', `/v1/event?workspaceId=${workspaceId}&types=link.*${query}`)
    let last = 0
    const createLink = async (after = `&after=${last}`) => {
      const body = { linkName: 'a', workspaceId }
      const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body }))
      const [event] = expectOk(await list(`&wait=20${after}`))
      assert.equal(event.subject, linkId)
      assert.ok(event.sequence > last, 'the new event has a higher number')
      last = event.sequence
    }
    const run = () => createEventStore(t.database).deleteOld(now - 30 * DAY_MS, 1_000)
    await createLink()
    await createLink()
    assert.equal(last, 2)
    now += 20 * DAY_MS
    await createLink()
    now += 9 * DAY_MS
    await run()
    assert.equal(expectOk(await list('')).length, 3)
    now += 2 * DAY_MS
    await run()
    const events = expectOk(await list(''))
    assert.deepEqual(
      events.map(({ sequence }: { sequence: number }) => sequence),
      [last],
    )
    assert.deepEqual(expectOk(await list('&after=2')), events)
    const error = expectError(await list('&after=1'), 'events_gone')
    assert.deepEqual(error.errors, { after: [{ code: 'gone', message: '3' }] })
    now += 40 * DAY_MS
    await run()
    assert.deepEqual(expectOk(await list('')), [])
    await createLink('')
  })
})
