import type { Alert } from './alert.ts'

/** Alerts about events and webhooks. */
export const WEBHOOK_ALERTS: readonly Alert[] = [
  {
    name: 'LinchpinWebhooksFail',
    severity: 'ticket',
    for: '15m',
    expr: 'sum(rate(linchpin_webhook_attempts_total{outcome=~"failed|given_up"}[15m])) > 0.5 * sum(rate(linchpin_webhook_attempts_total[15m])) and sum(increase(linchpin_webhook_attempts_total[15m])) > 10',
    summary: 'Most deliveries to webhook endpoints fail.',
    meaning: 'Events are stored and sent again for days, in order. Receivers notice delays.',
    steps: [
      '`linchpin_webhook_endpoints` by `state`: are many `failing`? Then the network of this node is the likely cause: `curl` one of the URLs from it.',
      'One endpoint only: `GET /api/v1/webhook_endpoint/{id}/delivery` lists its deliveries, and `GET …/delivery/{eventId}` the failed attempts of one, with their responses.',
    ],
    test: {
      minute: 50,
      firing: {
        'linchpin_webhook_attempts_total{outcome="delivered"}': '0+10x60',
        'linchpin_webhook_attempts_total{outcome="failed"}': '0+60x60',
      },
      healthy: {
        'linchpin_webhook_attempts_total{outcome="delivered"}': '0+60x60',
        'linchpin_webhook_attempts_total{outcome="failed"}': '0+10x60',
      },
    },
  },
  {
    name: 'LinchpinEventsLate',
    severity: 'page',
    for: '5m',
    expr: 'max(linchpin_event_lag_seconds) > 60',
    summary: 'Changes become events more than a minute late.',
    meaning:
      'No node numbers events. Products see no changes, neither in webhooks nor in the list of events. Changes themselves are stored, and no event is lost.',
    steps: [
      'Lines with `events could not be numbered` have the reason, mostly that of [LinchpinDatabaseSaturated](#linchpindatabasesaturated).',
      'On PostgreSQL, the query of [LinchpinDatabaseSaturated](#linchpindatabasesaturated) shows whether statements on `event_sequences` are blocked, and by whom.',
      'Clocks of the nodes that differ show here, too: compare `date` on each.',
    ],
    test: {
      firing: { linchpin_event_lag_seconds: '90x30' },
      healthy: { linchpin_event_lag_seconds: '0.2x30' },
    },
  },
  {
    name: 'LinchpinWebhooksLate',
    severity: 'page',
    for: '10m',
    expr: 'max(linchpin_webhook_lag_seconds) > 300 or min(linchpin_webhook_requests_in_flight) >= 256',
    summary: 'Events wait for more than five minutes before they are sent to webhook endpoints.',
    meaning:
      'The nodes do not keep up, or none sends. Endpoints that fail are not among them: their next attempt is due later. Nor are those that a node sends to, however slow their receivers are. Nothing is lost or out of order.',
    steps: [
      '`linchpin_webhook_requests_in_flight` at 256 on each node: endpoints are slow. Add nodes.',
      'Below: lines with `webhooks wait for the database` have the reason. Is the database reachable, and is a node ready? On PostgreSQL, the query of [LinchpinDatabaseSaturated](#linchpindatabasesaturated) shows who blocks `webhook_endpoints`.',
      '`GET /api/v1/webhook_endpoint/{id}/delivery` shows what waits at an endpoint.',
    ],
    test: {
      minute: 30,
      firing: { linchpin_webhook_lag_seconds: '900x40' },
      healthy: { linchpin_webhook_lag_seconds: '20x40' },
    },
  },
]
