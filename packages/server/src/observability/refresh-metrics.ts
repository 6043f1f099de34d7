import { Counter, Gauge, type Registry } from 'prom-client'
import type { RefreshBacklog } from '../accounts/token-refresh/background/refresh-backlog-store.ts'
import type { RefreshCounts } from '../accounts/token-refresh/refresh-counts.ts'

export interface RefreshMetricsSource {
  readonly refreshCounts: Pick<RefreshCounts, 'read'>
  readonly readRefreshBacklog: () => Promise<RefreshBacklog>
}

/** Registers the metrics of token refresh. Without labels for hosts: these would be unbounded and reveal tenants. */
export function registerRefreshMetrics(
  registry: Registry,
  { refreshCounts, readRefreshBacklog }: RefreshMetricsSource,
): void {
  new Counter({
    name: 'linchpin_token_refreshes_total',
    help: 'Token refreshes of this node, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(refreshCounts.read()))
        this.inc({ outcome }, count)
    },
  })
  // One read for both: the registry collects its metrics at the same time.
  let reading: Promise<RefreshBacklog | undefined> | undefined
  const readOnce = () => {
    // Without the database the other metrics remain.
    reading ??= readRefreshBacklog()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const gauge = (name: string, help: string, select: (backlog: RefreshBacklog) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const backlog = await readOnce()
        if (backlog === undefined) this.remove()
        else this.set(select(backlog))
      },
    })
  gauge(
    'linchpin_token_refreshes_overdue',
    'Accounts whose token refresh has been due for more than a minute, on all nodes; counted up to 10,000.',
    ({ overdue }) => overdue,
  )
  gauge(
    'linchpin_token_refresh_lag_seconds',
    'For how long the refresh that is longest overdue has been due, on all nodes.',
    ({ lagMs }) => lagMs / 1_000,
  )
}
