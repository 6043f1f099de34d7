import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceProcess } from '../../packages/server/test/reliability/service-process.ts'
import { startLoad } from './load.ts'
import type { StreamResult } from './load-types.ts'
import { quietStreams, type Scenario } from './scenarios.ts'
import type { Tenant } from './tenants.ts'

/** One service with both tenants. */
export interface Stage {
  readonly service: ServiceProcess
  readonly quiet: Tenant
  readonly hostile: Tenant
}

/** How long the parts of a measurement take, in seconds. */
export interface Times {
  /** One measurement. */
  readonly seconds: number
  /** Before it, for the attack to unfold. */
  readonly leadSeconds: number
  /** After it, at most, until no call of the attack is left. */
  readonly drainSeconds: number
  /** Measurements without and with the attack, in turn. */
  readonly rounds: number
}

/** What one measurement of the quiet tenant gave, by operation, and what came of the attack meanwhile. */
export interface Measurement {
  readonly quiet: readonly StreamResult[]
  readonly hostile: readonly StreamResult[]
}

/** The measurements of one scenario, in turn: `alone[n]` came right before `beside[n]`. */
export interface ScenarioResult {
  readonly name: string
  readonly alone: readonly Measurement[]
  readonly beside: readonly Measurement[]
}

/** Measures the quiet tenant alone and beside the attack, in turn, so that noise of the machine meets both. */
export async function runScenario(
  stage: Stage,
  scenario: Scenario,
  times: Times,
): Promise<ScenarioResult> {
  const alone: Measurement[] = []
  const beside: Measurement[] = []
  for (let round = 0; round < times.rounds; round += 1) {
    alone.push(await measureAlone(stage, times))
    beside.push(await measureBeside(stage, scenario, times))
    await drained(stage.service, times.drainSeconds)
  }
  return { name: scenario.name, alone, beside }
}

async function measureAlone(stage: Stage, times: Times): Promise<Measurement> {
  return { quiet: await measureQuiet(stage, times, 1), hostile: [] }
}

async function measureBeside(stage: Stage, scenario: Scenario, times: Times): Promise<Measurement> {
  const { service, hostile } = stage
  const streams = scenario.streams(hostile)
  const attack = startLoad({ url: service.url, token: hostile.token, streams }, false)
  try {
    attack.count()
    const quiet = await measureQuiet(stage, times, times.leadSeconds)
    return { quiet, hostile: await attack.report('now') }
  } finally {
    await attack.stop()
  }
}

async function measureQuiet(
  { service, quiet }: Stage,
  { seconds }: Times,
  leadSeconds: number,
): Promise<StreamResult[]> {
  const load = startLoad(
    { url: service.url, token: quiet.token, streams: quietStreams(quiet) },
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

/** Resolves when no bundle runs or waits any more and the main thread answers at once: what the attack left behind is not measured. */
async function drained(service: ServiceProcess, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000
  let quickInRow = 0
  while (performance.now() < end) {
    const text = await fetch(`${service.url}/metrics`).then((answer) => answer.text())
    const busy = [...text.matchAll(/^linchpin_runner_(?:running|waiting)_calls\S* (\d+)/gm)]
    const isIdle = busy.length > 0 && busy.every(([, count]) => count === '0')
    const from = performance.now()
    await fetch(`${service.url}/health/live`).then((answer) => answer.text())
    quickInRow = isIdle && performance.now() - from < QUICK_MS ? quickInRow + 1 : 0
    if (quickInRow === 3) return
    await sleep(250)
  }
}

const QUICK_MS = 50
