import type { RefreshBacklog } from '../../accounts/accounts/token-refresh/background/refresh-backlog-store.ts'
import type { RefreshCounts } from '../../accounts/accounts/token-refresh/refresh-counts.ts'
import { byLabel, type Instruments } from './metrics/instruments.ts'

export interface RefreshMetricsSource {
  readonly refreshCounts: Pick<RefreshCounts, 'read'>
  readonly readRefreshBacklog: () => Promise<RefreshBacklog>
}

/** Registers the metrics of token refresh. Without labels for hosts: these would be unbounded and reveal tenants. */
export function registerRefreshMetrics(
  { counter, gauge }: Instruments,
  { refreshCounts, readRefreshBacklog }: RefreshMetricsSource,
): void {
  counter('linchpin_token_refreshes_total', () => byLabel('outcome', { ...refreshCounts.read() }))
  // One read for both: the registry collects its metrics at the same time.
  let reading: Promise<RefreshBacklog> | undefined
  const readOnce = () => {
    reading ??= readRefreshBacklog().finally(() => {
      reading = undefined
    })
    return reading
  }
  gauge('linchpin_token_refreshes_overdue', async () => (await readOnce()).overdue)
  gauge('linchpin_token_refresh_lag_seconds', async () => (await readOnce()).lagMs / 1_000)
}
