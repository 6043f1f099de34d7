import type { Dispatcher } from '../../activity/webhooks/dispatch/dispatcher.ts'
import { ENDPOINT_STATES } from '../../activity/webhooks/webhook-endpoint.ts'
import { byLabel, type Instruments } from './metrics/instruments.ts'

export type WebhookMetricsSource = Pick<Dispatcher, 'stats' | 'countStates' | 'readLagMs'>

/** Without labels for workspaces and endpoints: these would be unbounded and reveal tenants. */
export function registerWebhookMetrics(
  { gauge, counter }: Instruments,
  { stats, countStates, readLagMs }: WebhookMetricsSource,
): void {
  gauge('linchpin_webhook_endpoints', async () => {
    const counts = await countStates()
    return ENDPOINT_STATES.map((state) => ({ labels: { state }, value: counts.get(state) ?? 0 }))
  })
  gauge('linchpin_webhook_lag_seconds', async () => (await readLagMs()) / 1_000)
  counter('linchpin_webhook_attempts_total', () => byLabel('outcome', { ...stats().attempts }))
  gauge('linchpin_webhook_requests_in_flight', () => stats().inFlight)
}
