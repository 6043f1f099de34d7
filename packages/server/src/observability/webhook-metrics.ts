import { Counter, Gauge, type Registry } from 'prom-client'
import type { Dispatcher } from '../webhooks/dispatch/dispatcher.ts'
import { ENDPOINT_STATES } from '../webhooks/webhook-endpoint.ts'

export type WebhookMetricsSource = Pick<Dispatcher, 'stats' | 'countStates'>

/** Without labels for workspaces and endpoints: these would be unbounded and reveal tenants. */
export function registerWebhookMetrics(
  registry: Registry,
  { stats, countStates }: WebhookMetricsSource,
): void {
  new Gauge({
    name: 'linchpin_webhook_endpoints',
    help: 'Webhook endpoints of all workspaces, by state.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      // Without the database the other metrics remain.
      const counts = await countStates().catch(() => undefined)
      if (counts === undefined) return this.reset()
      for (const state of ENDPOINT_STATES) this.set({ state }, counts.get(state) ?? 0)
    },
  })
  new Counter({
    name: 'linchpin_webhook_attempts_total',
    help: 'Attempts of this node to deliver events to webhook endpoints, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(stats().attempts)) this.inc({ outcome }, count)
    },
  })
  new Gauge({
    name: 'linchpin_webhook_requests_in_flight',
    help: 'Requests to webhook endpoints that this node is sending now, of at most 256.',
    registers: [registry],
    collect() {
      this.set(stats().inFlight)
    },
  })
}
