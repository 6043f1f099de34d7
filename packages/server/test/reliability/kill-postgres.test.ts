import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { describeOwnPostgres } from '../postgres.ts'
import { findInconsistencies } from './consistency-queries.ts'
import { runKillRounds } from './kill-rounds.ts'
import { createServiceSetup } from './service-process.ts'

const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.KILL_ROUNDS ?? 5)

describeOwnPostgres('kill -9 of a service on PostgreSQL, and of PostgreSQL', (server) => {
  it(`loses no acknowledged write in ${rounds} kills and leaves no partial one`, async (t) => {
    const databaseUrl = await server().createDatabase('kill_rounds')
    const setup = await createServiceSetup({ databaseUrl })
    t.after(() => setup.remove())
    const outage = {
      kill: () => server().kill(),
      restart: () => server().restart(),
      killsBoth: (round: number) => round % 5 === 2,
      killsDatabaseOnly: (round: number) => round % 5 === 4,
    }
    await runKillRounds(t, setup, { rounds, seed, outage })
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    t.after(() => client.end())
    const select = async (sql: string) => (await client.query(sql)).rows
    assert.deepEqual(await findInconsistencies(select), [])
  })
})
