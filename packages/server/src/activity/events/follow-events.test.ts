import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describePostgres, TEST_POSTGRES } from '../../../test/postgres.ts'
import { createLog } from '../../platform/http/log.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Rounds } from '../../platform/rounds.ts'
import type { Database } from '../../platform/storage/database.ts'
import { openDatabase } from '../../platform/storage/open-database.ts'
import { insertSampleRows } from '../../platform/storage/test/test-database.ts'
import { createEventStore, startEventNumbering } from './event-store.ts'

const NODES = 3
const WRITERS = 8
/** The full length is that of the proof `events`. */
const count = Number(process.env.EVENT_COUNT ?? 1_600)

describePostgres('A reader that follows the events of a workspace', (server) => {
  let nodes: Database[]
  let numberings: Rounds[]
  let workspaceId: `wsp_${string}`
  let access: { userId: `usr_${string}`; boundWorkspaceId: null }
  before(async () => {
    const url = await server().createMigratedDatabase()
    nodes = await Promise.all(
      Array.from({ length: NODES }, () => openDatabase({ url, postgres: TEST_POSTGRES })),
    )
    const { users, workspaces } = await insertSampleRows(getNode(0), ['users', 'workspaces'])
    workspaceId = workspaces.workspace_id
    access = { userId: users.user_id, boundWorkspaceId: null }
    numberings = nodes.map((database) =>
      startEventNumbering({
        database,
        events: createEventStore(database),
        onNumbered: () => {},
        log: createLog('silent'),
      }),
    )
  })
  after(async () => {
    await Promise.all(numberings.map((numbering) => numbering.stop()))
    await Promise.all(nodes.map((node) => node.close()))
  })
  const getNode = (at: number): Database => nodes[at % NODES] ?? assert.fail()

  /** Some transactions commit long after they have inserted their event. */
  const write = async (writer: number) => {
    const database = getNode(writer)
    for (let written = 0; written < count / WRITERS; written += 1)
      await database.transaction(async (trx) => {
        const subject = `${writer}-${written}`
        await record(trx, SYSTEM_ACTOR, Date.now(), {
          action: 'link.created',
          workspaceId,
          subject,
          event: { type: 'link.created', subject, data: {} },
        })
        if (written % 10 === 0) await sleep(Math.random() * 10)
      })
  }

  it(`misses none of ${count}, while a cursor over the serial number misses some`, async (t) => {
    const seen = new Map<string, number>()
    const bySerialNumber = new Set<string>()
    let isWriting = true
    const follow = async (at: number) => {
      const events = createEventStore(getNode(at))
      for (let after = 0; seen.size < count; ) {
        const { last } = await events.getRange(access, workspaceId)
        const range = { after, until: last, limit: 1_000 }
        const page = await events.list(access, workspaceId, range, {})
        for (const { sequence, subject } of page) {
          assert.equal(sequence, ++after, 'a gap')
          seen.set(subject, sequence)
        }
        if (page.length === 0) await sleep(2)
      }
    }
    const followSerialNumber = async () => {
      for (let after = 0, isLast = false; !isLast; ) {
        isLast = !isWriting
        const rows = await getNode(0)
          .read.selectFrom('events')
          .select(['position', 'subject'])
          .where('position', '>', after)
          .orderBy('position')
          .limit(1_000)
          .execute()
        for (const { position, subject } of rows) {
          after = Number(position)
          bySerialNumber.add(subject)
        }
        if (rows.length > 0) isLast = false
        await sleep(1)
      }
    }
    const readers = [follow(1), followSerialNumber()]
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    isWriting = false
    await Promise.all(readers)
    assert.equal(seen.size, count)
    for (let writer = 0; writer < WRITERS; writer += 1)
      for (let written = 1; written < count / WRITERS; written += 1)
        assert.ok(
          (seen.get(`${writer}-${written}`) ?? 0) > (seen.get(`${writer}-${written - 1}`) ?? 0),
          'the order of one writer',
        )
    const missed = count - bySerialNumber.size
    t.diagnostic(`a cursor over the serial number missed ${missed} of ${count}`)
    assert.ok(missed > 0, 'the control missed none: transactions did not overlap')
  })
})
