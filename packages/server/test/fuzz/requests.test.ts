import { describe, it } from 'node:test'
import { describePostgres } from '../postgres.ts'
import { testApp } from '../test-app.ts'
import { runFuzz } from './run-fuzz.ts'

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000)
const runs = Number(process.env.FUZZ_RUNS ?? 2_500)

describe('Hostile requests to every operation', () => {
  it('get an ApiException that names the field, and never a 5xx', async (t) => {
    const service = await testApp()
    t.after(() => service.close())
    await runFuzz(t, service, { runs, seed })
  })
})

describePostgres('Hostile requests on PostgreSQL', (server) => {
  it('with U+0000 and lone surrogates are rejected before they reach the database', async (t) => {
    const service = await testApp({ url: await server().createDatabase('fuzz') })
    t.after(() => service.close())
    await runFuzz(t, service, { runs: Math.ceil(runs * 0.15), seed: seed + 1 })
  })
})
