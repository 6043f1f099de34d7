import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { describePostgres } from '../postgres.ts'
import { HALF_WRITTEN } from './half-written.ts'
import { runKillRounds } from './kill-rounds.ts'
import { newPlace } from './service-process.ts'

const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.KILL_ROUNDS ?? 60)

describePostgres('kill -9 of a service on PostgreSQL, and of PostgreSQL', (server) => {
  it(`loses no promised write in ${rounds} kills, and leaves nothing half`, async (t) => {
    const databaseUrl = await server().createDatabase('kill_rounds')
    const place = await newPlace({ databaseUrl })
    t.after(() => place.remove())
    const outage = {
      kill: () => server().kill(),
      restart: () => server().restart(),
      together: (round: number) => round % 10 === 9,
      alone: (round: number) => round % 10 === 4,
    }
    await runKillRounds(t, place, { rounds, seed, outage })
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    t.after(() => client.end())
    for (const [what, sql] of Object.entries(HALF_WRITTEN))
      assert.deepEqual((await client.query(sql)).rows, [], what)
  })
})
