import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceProcess } from '../../packages/server/test/reliability/service-process.ts'
import { startLoad } from './load.ts'
import type { StreamResult } from './load-types.ts'
import { createQuietStreams, type Scenario } from './scenarios.ts'
import type { Tenant } from './tenants.ts'

/** One service with both tenants. */
export interface ScenarioContext {
  readonly service: ServiceProcess
  readonly quiet: Tenant
  readonly hostile: Tenant
}

/** Durations of the parts of a measurement, in seconds. */
export interface ScenarioTimes {
  /** One measurement. */
  readonly seconds: number
  /** How long the attack runs before the measurement. */
  readonly leadSeconds: number
  /** Maximum wait after the attack until none of its calls is running. */
  readonly drainSeconds: number
  /** Number of alternating measurements without and with the attack. */
  readonly rounds: number
}

/** The results of one measurement: of the quiet tenant by operation, and of the attack. */
export interface Measurement {
  readonly quiet: readonly StreamResult[]
  readonly hostile: readonly StreamResult[]
}

/** The measurements of one scenario: `alone[n]` ran immediately before `beside[n]`. */
export interface ScenarioResult {
  readonly name: string
  readonly baseline: readonly Measurement[]
  readonly underAttack: readonly Measurement[]
}

/** Measures the quiet tenant alone and during the attack alternately, so that noise of the machine affects both. */
export async function runScenario(
  context: ScenarioContext,
  scenario: Scenario,
  times: ScenarioTimes,
): Promise<ScenarioResult> {
  const baseline: Measurement[] = []
  const underAttack: Measurement[] = []
  for (let round = 0; round < times.rounds; round += 1) {
    baseline.push(await measureBaseline(context, times))
    underAttack.push(await measureUnderAttack(context, scenario, times))
    await waitUntilIdle(context.service, times.drainSeconds)
  }
  return { name: scenario.name, baseline, underAttack }
}

async function measureBaseline(
  context: ScenarioContext,
  times: ScenarioTimes,
): Promise<Measurement> {
  return { quiet: await measureQuiet(context, times, 1), hostile: [] }
}

async function measureUnderAttack(
  context: ScenarioContext,
  scenario: Scenario,
  times: ScenarioTimes,
): Promise<Measurement> {
  const { service, hostile } = context
  const streams = scenario.streams(hostile)
  const attack = await startLoad({ url: service.url, token: hostile.token, streams }, false)
  try {
    attack.count()
    const quiet = await measureQuiet(context, times, times.leadSeconds)
    return { quiet, hostile: await attack.report('now') }
  } finally {
    await attack.stop()
  }
}

async function measureQuiet(
  { service, quiet }: ScenarioContext,
  { seconds }: ScenarioTimes,
  leadSeconds: number,
): Promise<StreamResult[]> {
  const load = await startLoad(
    { url: service.url, token: quiet.token, streams: createQuietStreams(quiet) },
    true,
  )
  try {
    await sleep(leadSeconds * 1_000)
    load.count()
    await sleep(seconds * 1_000)
    return await load.report('answered')
  } finally {
    await load.stop()
  }
}

/** Resolves when no bundle is running or queued and the main thread is idle, so that remains of the attack are not measured. */
async function waitUntilIdle(service: ServiceProcess, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000
  let quickInRow = 0
  while (performance.now() < end) {
    const text = await fetch(`${service.url}/metrics`).then((response) => response.text())
    const callCounts = [...text.matchAll(/^linchpin_runner_(?:running|waiting)_calls\S* (\d+)/gm)]
    const isIdle = callCounts.length > 0 && callCounts.every(([, count]) => count === '0')
    const startedAt = performance.now()
    await fetch(`${service.url}/health/live`).then((response) => response.text())
    quickInRow = isIdle && performance.now() - startedAt < QUICK_MS ? quickInRow + 1 : 0
    if (quickInRow === 3) return
    await sleep(250)
  }
}

const QUICK_MS = 50
