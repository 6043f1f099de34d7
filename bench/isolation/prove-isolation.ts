import { postgresAvailable, startPostgres } from '../../packages/server/test/postgres-cluster.ts'
import {
  createServiceSetup,
  startService,
} from '../../packages/server/test/reliability/service-process.ts'
import { startChild } from '../child.ts'
import { evaluateResults, type IsolationRow } from './evaluate-results.ts'
import { HOSTILE_NICENESS, MEASURED_NICENESS } from './load.ts'
import { runScenario, type ScenarioContext, type ScenarioTimes } from './run-scenario.ts'
import type { Scenario } from './scenarios.ts'
import { createTenant } from './tenants.ts'

export type DatabaseKind = 'sqlite' | 'postgres'

export interface Proof {
  readonly database: DatabaseKind
  readonly scenarios: readonly Scenario[]
  readonly times: ScenarioTimes
  /** Called with each row as soon as it is measured. */
  readonly onRow: (row: IsolationRow) => void
}

/** Measures the effect of each scenario on the quiet tenant, with a new service for each. @throws without PostgreSQL */
export async function proveIsolation(proof: Proof): Promise<IsolationRow[]> {
  const cleanUps: (() => Promise<unknown>)[] = []
  try {
    const context = await openContext(proof.database, cleanUps)
    const rows: IsolationRow[] = []
    for (const scenario of proof.scenarios) {
      const measured = evaluateResults(await runScenario(context, scenario, proof.times))
      rows.push(...measured)
      for (const row of measured) proof.onRow(row)
    }
    return rows
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp()
  }
}

const HOSTILE_DEFINITIONS = 10

async function openContext(
  database: DatabaseKind,
  cleanUps: (() => Promise<unknown>)[],
): Promise<ScenarioContext> {
  const databaseUrl = database === 'postgres' ? await openPostgres(cleanUps) : undefined
  const setup = await createServiceSetup({ databaseUrl })
  cleanUps.push(() => setup.remove())
  const service = await startService(setup)
  cleanUps.push(() => service.kill())
  const startProvider = async (niceness: number) => {
    const child = await startChild('./isolation/provider-process.ts', {}, niceness)
    cleanUps.push(() => child.stop())
    return child.url
  }
  const quiet = await createTenant(service, {
    token: setup.token,
    providerUrl: await startProvider(MEASURED_NICENESS),
    definitions: 1,
    modes: ['ok'],
  })
  const hostileUser = await service.call('POST', '/v1/user', { email: 'hostile@example.com' })
  if (hostileUser.status !== 201) throw new Error(JSON.stringify(hostileUser.body))
  const hostile = await createTenant(service, {
    token: hostileUser.body.token,
    providerUrl: await startProvider(HOSTILE_NICENESS),
    definitions: HOSTILE_DEFINITIONS,
    modes: ['ok', 'hang', 'spin', 'fill'],
  })
  return { service, quiet, hostile }
}

async function openPostgres(cleanUps: (() => Promise<unknown>)[]): Promise<string> {
  if (!postgresAvailable()) throw new Error('PostgreSQL was not found on this machine.')
  const server = await startPostgres()
  cleanUps.push(() => server.stop())
  return server.url
}
