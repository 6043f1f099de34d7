import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { findInconsistencies } from './consistency-queries.ts'
import { runKillRounds } from './kill-rounds.ts'
import { createServiceSetup } from './service-process.ts'

const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.KILL_ROUNDS ?? 4)

describe('kill -9 of a service on SQLite', () => {
  it(`loses no acknowledged write in ${rounds} kills and leaves no partial one`, async (t) => {
    const setup = await createServiceSetup()
    t.after(() => setup.remove())
    await runKillRounds(t, setup, { rounds, seed })
    const database = new DatabaseSync(join(setup.dataDir, 'linchpin.db'), { readOnly: true })
    t.after(() => database.close())
    assert.deepEqual(
      { ...database.prepare('PRAGMA integrity_check').get() },
      {
        integrity_check: 'ok',
      },
    )
    assert.deepEqual(database.prepare('PRAGMA foreign_key_check').all(), [])
    assert.deepEqual(await findInconsistencies((sql) => database.prepare(sql).all()), [])
  })
})
