import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../test/test-context.ts'
import { deleteOldEvents } from './delete-old-events.ts'
import { createEventStore } from './event-store.ts'

const DAY_MS = 24 * 60 * 60_000

describeOnBothDatabases('deleteOldEvents', (newUrl) => {
  let t: TestContext
  let now = Date.now()
  before(async () => {
    t = await testContext({ url: await newUrl(), now: () => now })
  })
  after(() => t.close())

  it('deletes what is older than the retention, reports the gap, and keeps counting', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    const list = (query: string) => t.call('GET', `/v1/event?workspaceId=${workspaceId}${query}`)
    const createLink = async (sequence: number) => {
      const body = { linkName: 'a', workspaceId }
      const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body }))
      const events = expectOk(await list(`&wait=20&after=${sequence - 1}`))
      assert.deepEqual(
        [events[0].sequence, events[0].subject],
        [sequence, linkId],
        'the new event has the next number',
      )
    }
    const run = () => deleteOldEvents({ events: createEventStore(t.database), now: () => now }, 30)
    await createLink(1)
    await createLink(2)
    now += 20 * DAY_MS
    await createLink(3)
    now += 9 * DAY_MS
    await run()
    assert.equal(expectOk(await list('')).length, 3)
    now += 2 * DAY_MS
    await run()
    const events = expectOk(await list(''))
    assert.deepEqual(
      events.map(({ sequence }: { sequence: number }) => sequence),
      [3],
    )
    assert.deepEqual(expectOk(await list('&after=2')), events)
    const error = expectError(await list('&after=1'), 'events_gone')
    assert.deepEqual(error.errors, { after: [{ code: 'gone', message: '3' }] })
    now += 40 * DAY_MS
    await run()
    assert.deepEqual(expectOk(await list('&after=3')), [])
    await createLink(4)
  })
})
