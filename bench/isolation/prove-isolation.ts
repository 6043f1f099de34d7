import { postgresAvailable, startPostgres } from '../../packages/server/test/postgres.ts'
import { newPlace, startService } from '../../packages/server/test/reliability/service-process.ts'
import { startChild } from '../child.ts'
import { judgeResults, type Row } from './judge-results.ts'
import { HOSTILE_NICENESS, MEASURED_NICENESS } from './load.ts'
import { runScenario, type Stage, type Times } from './run-scenario.ts'
import type { Scenario } from './scenarios.ts'
import { createTenant } from './tenants.ts'

export type DatabaseKind = 'sqlite' | 'postgres'

export interface Proof {
  readonly database: DatabaseKind
  readonly scenarios: readonly Scenario[]
  readonly times: Times
  /** Hears of each row as soon as it is measured. */
  readonly onRow: (row: Row) => void
}

/** Measures what each scenario costs a neighbour on a service of its own. @throws when PostgreSQL was not found */
export async function proveIsolation(proof: Proof): Promise<Row[]> {
  const cleanUps: (() => Promise<unknown>)[] = []
  try {
    const stage = await openStage(proof.database, cleanUps)
    const rows: Row[] = []
    for (const scenario of proof.scenarios) {
      const measured = judgeResults(await runScenario(stage, scenario, proof.times))
      rows.push(...measured)
      for (const row of measured) proof.onRow(row)
    }
    return rows
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp()
  }
}

const HOSTILE_DEFINITIONS = 10

async function openStage(
  database: DatabaseKind,
  cleanUps: (() => Promise<unknown>)[],
): Promise<Stage> {
  const databaseUrl = database === 'postgres' ? await openPostgres(cleanUps) : undefined
  const place = await newPlace({ databaseUrl })
  cleanUps.push(() => place.remove())
  const service = await startService(place)
  cleanUps.push(() => service.kill())
  const providerOf = async (niceness: number) => {
    const child = await startChild('./isolation/provider-process.ts', {}, niceness)
    cleanUps.push(() => child.stop())
    return child.url
  }
  const quiet = await createTenant(service, {
    ...{ token: place.token, providerUrl: await providerOf(MEASURED_NICENESS) },
    ...{ definitions: 1, modes: ['ok'] },
  })
  const stranger = await service.call('POST', '/v1/user', { email: 'hostile@example.com' })
  if (stranger.status !== 201) throw new Error(JSON.stringify(stranger.body))
  const hostile = await createTenant(service, {
    ...{ token: stranger.body.token, providerUrl: await providerOf(HOSTILE_NICENESS) },
    ...{ definitions: HOSTILE_DEFINITIONS, modes: ['ok', 'hang', 'spin', 'fill'] },
  })
  return { service, quiet, hostile }
}

async function openPostgres(cleanUps: (() => Promise<unknown>)[]): Promise<string> {
  if (!postgresAvailable()) throw new Error('PostgreSQL was not found on this machine.')
  const server = await startPostgres()
  cleanUps.push(() => server.stop())
  return server.url
}
