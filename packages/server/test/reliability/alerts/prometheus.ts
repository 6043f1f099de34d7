import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../free-port.ts'
import { type Shortening, shortenRules } from './shorten-rules.ts'

const RULES = path.join(import.meta.dirname, '../../../../../deploy/prometheus/alerts.yaml')

const FIRING = 'ALERTS{alertstate="firing"}'

/** A real Prometheus that scrapes one service and evaluates the shortened rules. */
export interface Prometheus {
  /** The names of all alerts that have fired so far, in alphabetical order. */
  listFired(): Promise<string[]>
  /** Resolves when all of these fire at the same time or have fired. @throws an error that names those that have not */
  waitForAlerts(names: readonly string[], timeoutMs: number): Promise<void>
  /** Resolves when no alert fires any more. @throws an error that names those that do */
  waitUntilNoneFires(timeoutMs: number): Promise<void>
  /** Resolves when the service has been scraped. */
  waitForFirstScrape(): Promise<void>
  stop(): Promise<void>
}

export interface PrometheusOptions extends Shortening {
  readonly port: number
  readonly metricsToken: string
  readonly scrapeSeconds?: number
}

/** Whether Debian's `prometheus` is installed. */
export function prometheusAvailable(): boolean {
  return spawnSync('prometheus', ['--version']).status === 0
}

export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-prometheus-'))
  const port = await findFreePort()
  await writeFile(
    path.join(folder, 'alerts.yaml'),
    shortenRules(await readFile(RULES, 'utf8'), options),
  )
  await writeFile(path.join(folder, 'token'), options.metricsToken)
  await writeFile(path.join(folder, 'prometheus.yml'), renderConfig(options))
  const child = spawn(
    'prometheus',
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const url = `http://127.0.0.1:${port}`
  await waitUntilReady(url, child)
  const query = async (expr: string) => {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`)
    const { data } = (await response.json()) as QueryResponse
    return Object.fromEntries(
      data.result.map(({ metric, value }) => [Object.values(metric).join(' '), value[1]]),
    )
  }
  const listFired = async () =>
    Object.keys(await query(`count by (alertname) (count_over_time(${FIRING}[10m]))`)).toSorted()
  return {
    listFired,
    async waitUntilNoneFires(timeoutMs) {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        const firing = Object.keys(await query(`count by (alertname) (${FIRING})`))
        if (firing.length === 0) return
        if (performance.now() > deadline) throw new Error(`${firing.join(', ')} still fire`)
        await sleep(500)
      }
    },
    async waitForFirstScrape() {
      while (Object.values(await query('up == 1')).length === 0) await sleep(100)
    },
    async waitForAlerts(names, timeoutMs) {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        const fired = await listFired()
        const missing = names.filter((name) => !fired.includes(name))
        if (missing.length === 0) return
        if (performance.now() > deadline)
          throw new Error(`${missing.join(', ')} did not fire within ${timeoutMs} ms`)
        await sleep(500)
      }
    },
    async stop() {
      if (child.exitCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

interface QueryResponse {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>
      readonly value: readonly [number, string]
    }[]
  }
}

function renderConfig({ port, scrapeSeconds = 2 }: PrometheusOptions): string {
  return `global: { scrape_interval: ${scrapeSeconds}s, scrape_timeout: ${scrapeSeconds}s, evaluation_interval: 1s }
rule_files: [alerts.yaml]
scrape_configs:
  - job_name: linchpin
    authorization: { credentials_file: token }
    static_configs: [{ targets: ['127.0.0.1:${port}'] }]
`
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  child.once('exit', () => process.off('exit', killAtExit))
  for (let round = 0; round < 600; round += 1) {
    if (child.exitCode !== null) throw new Error(`prometheus exited with ${child.exitCode}`)
    const response = await fetch(`${url}/-/ready`).catch(() => undefined)
    await response?.text()
    if (response?.ok) return
    await sleep(50)
  }
  throw new Error('prometheus was not ready in time')
}
