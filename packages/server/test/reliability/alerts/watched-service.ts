import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from '../service-process.ts'
import { type Prometheus, startPrometheus } from './prometheus.ts'

/** A real service, and the real Prometheus that watches it. */
export interface WatchedService {
  readonly setup: ServiceSetup
  readonly service: ServiceProcess
  readonly prometheus: Prometheus
}

export interface WatchedServiceOptions {
  readonly databaseUrl?: string
  readonly settings?: Readonly<Record<string, string>>
  readonly scrapeSeconds?: number
}

/** An hour becomes a minute. Lags become 30 and 6 s: healthy background refreshes are up to 25 s late. */
const SHORTENING = { durations: 60, leastSeconds: 8, lags: 10 }
const METRICS_TOKEN = 'token-of-prometheus'

/** Starts both; they end after the test. */
export async function startWatchedService(
  t: { after(fn: () => unknown): void },
  { scrapeSeconds = 2, settings = {}, ...options }: WatchedServiceOptions = {},
): Promise<WatchedService> {
  const setup = await createServiceSetup({
    ...options,
    settings: { LINCHPIN_METRICS_TOKEN: METRICS_TOKEN, ...settings },
  })
  t.after(() => setup.remove())
  const service = await startService(setup)
  t.after(() => service.kill())
  const prometheus = await startPrometheus({
    ...SHORTENING,
    scrapeSeconds,
    port: setup.port,
    metricsToken: METRICS_TOKEN,
  })
  t.after(() => prometheus.stop())
  await prometheus.waitForFirstScrape()
  return { setup, service, prometheus }
}

/** Waits until these alerts have fired, and expects that no other has. */
export async function expectAlerts(
  { service, prometheus }: WatchedService,
  names: readonly string[],
  timeoutMs = 85_000,
): Promise<void> {
  await prometheus.waitForAlerts(names, timeoutMs).catch((error) => {
    throw new Error(`${error.message}\n${service.recentOutput()}`)
  })
  assert.deepEqual(await prometheus.listFired(), names.toSorted())
}

/** Repeats work until it is stopped, and ignores its errors. */
export function repeat(
  work: () => Promise<unknown>,
  intervalMs: number,
): { stop(): Promise<void> } {
  let isStopping = false
  const run = async () => {
    while (!isStopping) {
      await work().catch(() => {})
      await sleep(intervalMs)
    }
  }
  const running = run()
  return {
    async stop() {
      isStopping = true
      await running
    },
  }
}
