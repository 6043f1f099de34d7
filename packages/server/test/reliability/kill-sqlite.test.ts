import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { HALF_WRITTEN } from './half-written.ts'
import { runKillRounds } from './kill-rounds.ts'
import { newPlace } from './service-process.ts'

const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.KILL_ROUNDS ?? 60)

describe('kill -9 of a service on SQLite', () => {
  it(`loses no promised write in ${rounds} kills, and leaves nothing half`, async (t) => {
    const place = await newPlace()
    t.after(() => place.remove())
    await runKillRounds(t, place, { rounds, seed })
    const database = new DatabaseSync(join(place.dataDir, 'linchpin.db'), { readOnly: true })
    t.after(() => database.close())
    assert.deepEqual(
      { ...database.prepare('PRAGMA integrity_check').get() },
      {
        integrity_check: 'ok',
      },
    )
    assert.deepEqual(database.prepare('PRAGMA foreign_key_check').all(), [])
    for (const [what, sql] of Object.entries(HALF_WRITTEN))
      assert.deepEqual(database.prepare(sql).all(), [], what)
  })
})
