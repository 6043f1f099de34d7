import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describeOnBothDatabases, TEST_POSTGRES } from '../../../test/postgres.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { openDatabase } from '../../platform/storage/open-database.ts'
import { insertSampleRows } from '../../platform/storage/test/test-database.ts'
import { createEventLagReader, createEventStore, type EventStore } from './event-store.ts'

const WRITERS = 8
const EVENTS_PER_WRITER = 25

describeOnBothDatabases('The numbers of events, with two processes', (newUrl) => {
  let folder: string
  let databases: [Database, Database]
  let stores: [EventStore, EventStore]
  let access: { userId: `usr_${string}`; boundWorkspaceId: null }
  let workspaceId: `wsp_${string}`
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'linchpin-events-'))
    const options = { url: await newUrl(), file: join(folder, 'linchpin.db') }
    const first = await openDatabase({ ...options, postgres: TEST_POSTGRES })
    await first.migrate()
    databases = [first, await openDatabase({ ...options, postgres: TEST_POSTGRES })]
    stores = [createEventStore(databases[0]), createEventStore(databases[1])]
    const rows = await insertSampleRows(first, ['users', 'workspaces'])
    workspaceId = rows.workspaces.workspace_id
    access = { userId: rows.users.user_id, boundWorkspaceId: null }
  })
  after(async () => {
    for (const database of databases) await database.close()
    await rm(folder, { recursive: true })
  })

  const insertEvent = (trx: Transaction, subject: string) =>
    record(trx, SYSTEM_ACTOR, Date.now(), {
      action: 'link.created',
      workspaceId,
      subject,
      event: { type: 'link.created', subject, data: {} },
    })
  const read = (after: number) =>
    stores[0].list(access, workspaceId, { after, until: after + 1_000, limit: 1_000 }, {})

  it('are assigned once, without gaps, and a reader with a cursor sees every event', async () => {
    const seen: string[] = []
    let cursor = 0
    let isWriting = true
    const numberEvents = async (store: EventStore) => {
      while (isWriting) {
        await store.number([workspaceId], 7)
        await nextTurn()
      }
    }
    const follow = async () => {
      while (isWriting) {
        const events = await read(cursor)
        seen.push(...events.map(({ subject }) => subject))
        for (const { sequence } of events) assert.equal(sequence, ++cursor)
        await nextTurn()
      }
    }
    const write = async (writer: number) => {
      for (let count = 0; count < EVENTS_PER_WRITER; count += 1)
        await databases[writer % 2 === 0 ? 0 : 1].transaction((trx) =>
          insertEvent(trx, `writer-${writer}-${count}`),
        )
    }
    const background = [numberEvents(stores[0]), numberEvents(stores[1]), follow()]
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    while (seen.length < WRITERS * EVENTS_PER_WRITER) await nextTurn()
    isWriting = false
    await Promise.all(background)
    assert.equal(new Set(seen).size, WRITERS * EVENTS_PER_WRITER)
    assert.equal(cursor, WRITERS * EVENTS_PER_WRITER)
    for (let writer = 0; writer < WRITERS; writer += 1) {
      const ofWriter = seen.filter((subject) => subject.startsWith(`writer-${writer}-`))
      assert.deepEqual(
        ofWriter,
        ofWriter.map((_, count) => `writer-${writer}-${count}`),
        'the order of one writer',
      )
    }
  })

  it('are not visible to another user', async () => {
    const other = { userId: 'usr_other', boundWorkspaceId: null } as const
    assert.notEqual((await read(0)).length, 0)
    const range = { after: 0, until: 1_000, limit: 1_000 }
    assert.deepEqual(await stores[0].list(other, workspaceId, range, {}), [])
    assert.deepEqual(await stores[0].getRange(other, workspaceId), { oldest: 1, last: 0 })
  })

  it('follow the order of commits where a serial number does not', async (t) => {
    if (databases[0].dialect === 'sqlite') return t.skip('SQLite has one writer')
    const isInserted = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const { last } = await stores[0].getRange(access, workspaceId)
    const slow = databases[0].transaction(async (trx) => {
      await insertEvent(trx, 'slow')
      isInserted.resolve()
      await mayCommit.promise
    })
    await isInserted.promise
    await databases[1].transaction((trx) => insertEvent(trx, 'quick'))
    await stores[1].number([workspaceId], 10)
    const first = await read(last)
    mayCommit.resolve()
    await slow
    await stores[0].number([workspaceId], 10)
    const second = await read(last + first.length)
    assert.deepEqual(
      [...first, ...second].map(({ subject, sequence }) => [subject, sequence - last]),
      [
        ['quick', 1],
        ['slow', 2],
      ],
    )
    const rows = await databases[0].read
      .selectFrom('events')
      .select('subject')
      .where('subject', 'in', ['quick', 'slow'])
      .orderBy('position')
      .execute()
    assert.deepEqual(
      rows.map(({ subject }) => subject),
      ['slow', 'quick'],
      'a cursor over the position has passed the slow one',
    )
  })

  it('are late by the age of the oldest event without one', async () => {
    const readLagMs = createEventLagReader(databases[0], () => Date.now() + 5_000)
    assert.equal(await readLagMs(), 0)
    await databases[0].transaction((trx) => insertEvent(trx, 'lnk_late'))
    const lagMs = await readLagMs()
    assert.ok(lagMs >= 5_000 && lagMs < 10_000, String(lagMs))
    await stores[0].number([workspaceId], 7)
    assert.equal(await readLagMs(), 0)
  })
})
