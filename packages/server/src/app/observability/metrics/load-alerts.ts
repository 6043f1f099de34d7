import type { Alert } from './alert.ts'
import { SELECTORS } from './selectors.ts'

const READ = 'method="GET", status="200", route="/api/v1/link/:linkId"'
const POLL = 'method="GET", status="200", route="/api/v1/event"'
const DURATION = 'linchpin_http_request_duration_seconds'

/** Alerts about more work than a node, or a tenant's share of it, can do. */
export const LOAD_ALERTS: readonly Alert[] = [
  {
    name: 'LinchpinSlow',
    severity: 'ticket',
    for: '10m',
    expr: `histogram_quantile(0.99, sum by (le) (rate(${DURATION}_bucket{${SELECTORS.reads}}[5m]))) > 1`,
    summary: 'One read in a hundred takes longer than a second.',
    meaning:
      'Reads of users, accounts, links and definitions normally take milliseconds. They wait for the database, the event loop, or other requests of their tenant.',
    steps: [
      'Compare `nodejs_eventloop_lag_p99_seconds`: above 0.2, a core is saturated. Add nodes.',
      'Compare `linchpin_database_waiting`, `linchpin_database_read_duration_seconds` and `linchpin_database_transaction_duration_seconds`: see [LinchpinDatabaseSaturated](#linchpindatabasesaturated).',
      'Otherwise find the route in the dashboard, and its tenant in the log lines by `ms` and `tokenId`. Lines of reads that succeed need `LINCHPIN_LOG_LEVEL=debug`.',
    ],
    test: {
      firing: {
        [`${DURATION}_bucket{${READ}, le="1"}`]: '0+60x30',
        [`${DURATION}_bucket{${READ}, le="2.5"}`]: '0+90x30',
        [`${DURATION}_bucket{${READ}, le="+Inf"}`]: '0+90x30',
      },
      healthy: {
        [`${DURATION}_bucket{${READ}, le="0.1"}`]: '0+90x30',
        [`${DURATION}_bucket{${POLL}, le="0.1"}`]: '0x30',
        [`${DURATION}_bucket{${POLL}, le="+Inf"}`]: '0+90x30',
        [`${DURATION}_bucket{${READ}, le="+Inf"}`]: '0+90x30',
      },
    },
  },
  {
    name: 'LinchpinOverloaded',
    severity: 'page',
    for: '5m',
    expr: 'sum(rate(linchpin_overloaded_responses_total{scope="service"}[5m])) > 0.1',
    summary: 'Requests of many tenants are rejected with 503 `overloaded`.',
    meaning:
      'The nodes are too small for what all tenants send together, or do not get their cores. Those of one or two tenants alone cause [LinchpinTenantOverloaded](#linchpintenantoverloaded).',
    steps: [
      'Compare `nodejs_eventloop_lag_p99_seconds`: above 0.2, a core is saturated. Add nodes.',
      'Compare `linchpin_runner_calls` by `state`. Many `waiting` calls: a provider is slow, see `linchpin_egress_circuits_open`. Many `computing` calls: add nodes.',
      'Log lines with `"error":"overloaded"` have `workspaceId` or `tokenId`: do a few send most of it? Limit them with `LINCHPIN_RATES`.',
    ],
    test: {
      firing: {
        'linchpin_overloaded_responses_total{scope="service"}': '0+30x20',
        'linchpin_overloaded_responses_total{scope="tenant"}': '0x20',
      },
      healthy: {
        'linchpin_overloaded_responses_total{scope="service"}': '0x20',
        'linchpin_overloaded_responses_total{scope="tenant"}': '0+30x20',
      },
    },
  },
  {
    name: 'LinchpinTenantOverloaded',
    severity: 'ticket',
    for: '15m',
    expr: 'sum(rate(linchpin_overloaded_responses_total{scope="tenant"}[15m])) > 0.1',
    summary: 'Requests of one or two tenants are rejected with 503 `overloaded`.',
    meaning:
      'They send more than their share, or their provider is slow. Others do not notice. Where there are no more than two tenants, the node may be too small for them.',
    steps: [
      'Log lines with `"error":"overloaded"` have `workspaceId` or `tokenId`, and the reason: `cause` or `reason`.',
      'Many requests: talk to the tenant, or limit it with `LINCHPIN_RATES`: it then gets 429 `rate_limited`, which says when to retry.',
      'Many `waiting` calls in `linchpin_runner_calls`: the provider of its tool is slow. Nothing is to be done here.',
    ],
    test: {
      minute: 40,
      firing: { 'linchpin_overloaded_responses_total{scope="tenant"}': '0+30x50' },
      healthy: {
        'linchpin_overloaded_responses_total{scope="tenant"}': '0+1x50',
        'linchpin_overloaded_responses_total{scope="service"}': '0+30x50',
      },
    },
  },
  {
    name: 'LinchpinEventLoopBlocked',
    severity: 'ticket',
    for: '10m',
    expr: 'nodejs_eventloop_lag_p99_seconds{job="linchpin"} > 0.5',
    summary: 'A process does not get to its work for half a second at a time.',
    meaning: 'Its core is saturated, or memory is swapped.',
    steps: [
      '`top`: is the process at 100 % of a core, or does another program take it?',
      'Add nodes; limit a tenant with `LINCHPIN_RATES`.',
    ],
    test: {
      labels: { job: 'linchpin' },
      firing: { 'nodejs_eventloop_lag_p99_seconds{job="linchpin"}': '0.8x30' },
      healthy: { 'nodejs_eventloop_lag_p99_seconds{job="linchpin"}': '0.02x30' },
    },
  },
]
