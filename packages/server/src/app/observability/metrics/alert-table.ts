import { type Alert, CONNECTION_ALERTS, SELECTORS, SERVICE_ALERTS } from './alert.ts'

/** Alerts about events and webhooks. */
const WEBHOOK_ALERTS: readonly Alert[] = [
  {
    name: 'LinchpinWebhooksFail',
    severity: 'ticket',
    for: '15m',
    expr: 'sum(rate(linchpin_webhook_attempts_total{outcome=~"failed|given_up"}[15m])) > 0.5 * sum(rate(linchpin_webhook_attempts_total[15m])) and sum(increase(linchpin_webhook_attempts_total[15m])) > 10',
    summary: 'Most deliveries to webhook endpoints fail.',
    meaning: 'Events are sent again for days, in order.',
    steps: [
      'Many `linchpin_webhook_endpoints` with the state `failing`: `curl` one of the URLs from this node.',
      'One endpoint only: `GET /api/v1/webhook_endpoint/{id}/delivery/{eventId}` has the failed attempts with their responses.',
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
    meaning: 'Webhooks and the list of events lag; nothing is lost.',
    steps: [
      'Lines with `events could not be numbered` have the reason, mostly that of [LinchpinDatabaseSaturated](#linchpindatabasesaturated).',
      'Compare `date` on each node: clocks that differ show here, too.',
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
    summary: 'Webhooks are sent more than five minutes late.',
    meaning:
      'The nodes do not keep up, or none sends. Endpoints that fail do not count. Nothing is lost.',
    steps: [
      '`linchpin_webhook_requests_in_flight` at 256 on each node: endpoints are slow. Add nodes.',
      'Otherwise lines with `webhooks wait for the database` have the reason, mostly that of [LinchpinDatabaseSaturated](#linchpindatabasesaturated).',
    ],
    test: {
      minute: 30,
      firing: { linchpin_webhook_lag_seconds: '900x40' },
      healthy: { linchpin_webhook_lag_seconds: '20x40' },
    },
  },
]

/** Alerts about the database and the keys. */
const STORAGE_ALERTS: readonly Alert[] = [
  {
    name: 'LinchpinDatabaseSaturated',
    severity: 'page',
    for: '5m',
    expr: 'sum by (instance, pool) (linchpin_database_waiting) > 5',
    summary: 'Requests wait for connections to PostgreSQL.',
    meaning:
      'The pool is too small, or statements take too long: a lock, a slow disk, a missing vacuum.',
    steps: [
      'In PostgreSQL: `select pid, state, now() - xact_start as since, pg_blocking_pids(pid) as blocked_by, left(query, 80) from pg_stat_activity where xact_start is not null order by xact_start` shows what takes long and who blocks it.',
      'End what blocks: `select pg_terminate_backend(PID)`.',
      'If nothing does, raise the connections of the [pool](operating.md#connections).',
    ],
    test: {
      labels: { pool: 'write' },
      firing: { 'linchpin_database_waiting{pool="write"}': '9x20' },
      healthy: { 'linchpin_database_waiting{pool="write"}': '0x20' },
    },
  },
  {
    name: 'LinchpinStorageNearlyFull',
    severity: 'page',
    for: '10m',
    expr: 'linchpin_database_free_bytes < 0.2 * linchpin_database_size_bytes or linchpin_database_free_bytes < 500e6',
    summary: 'The disk of the embedded database is nearly full.',
    meaning: 'Once it is full, writes get 503 `storage_full`; reads go on, and nothing is lost.',
    steps: [
      'Move old backups and `linchpin.db.replaced-…` elsewhere.',
      'Shorten the [retention](erasure.md#retention): the file does not shrink, but its space is used again.',
      'Enlarge the disk, without a restart.',
    ],
    test: {
      firing: { linchpin_database_free_bytes: '100e6x30', linchpin_database_size_bytes: '1e9x30' },
      healthy: { linchpin_database_free_bytes: '50e9x30', linchpin_database_size_bytes: '1e9x30' },
    },
  },
  {
    name: 'LinchpinWalGrows',
    severity: 'ticket',
    for: '15m',
    expr: 'linchpin_database_wal_bytes > 1e9',
    summary: 'The write-ahead log of the embedded database is larger than 1 GB.',
    meaning: 'A backup, an export, or `sqlite3` in a terminal reads the database for too long.',
    steps: [
      'As root, `fuser -v linchpin.db` lists the programs that have it open. End all but Linchpin, which is called `MainThread`.',
    ],
    test: {
      minute: 30,
      firing: { linchpin_database_wal_bytes: '2e9x40' },
      healthy: { linchpin_database_wal_bytes: '4e6x40' },
    },
  },
  {
    name: 'LinchpinKeyRotationUnfinished',
    severity: 'ticket',
    for: '6h',
    expr: 'max by (state) (linchpin_data_keys_outdated) > 0',
    summary: 'A rotation of encryption keys has not ended.',
    meaning: 'Do not remove the former key from `LINCHPIN_KEYS`.',
    steps: [
      '`state="other_key"`: run `linchpin keys rotate`. `state="being_replaced"`: run `linchpin keys rekey`. Both [continue](maintenance.md#keys) where they were interrupted.',
    ],
    test: {
      labels: { state: 'other_key' },
      minute: 420,
      firing: { 'linchpin_data_keys_outdated{state="other_key"}': '3x480' },
      healthy: { 'linchpin_data_keys_outdated{state="other_key"}': '3x200 0x280' },
    },
  },
]

const READ = 'method="GET", status="200", route="/api/v1/link/:linkId"'
const POLL = 'method="GET", status="200", route="/api/v1/event"'
const DURATION = 'linchpin_http_request_duration_seconds'

/** Alerts about more work than a node, or a tenant's share of it, can do. */
const LOAD_ALERTS: readonly Alert[] = [
  {
    name: 'LinchpinSlow',
    severity: 'ticket',
    for: '10m',
    expr: `histogram_quantile(0.99, sum by (le) (rate(${DURATION}_bucket{${SELECTORS.reads}}[5m]))) > 1`,
    summary: 'One read in a hundred takes longer than a second.',
    meaning: 'Reads wait for the database, the event loop, or other requests of their tenant.',
    steps: [
      '`nodejs_eventloop_lag_p99_seconds` above 0.2: a core is saturated. Add nodes.',
      '`linchpin_database_waiting` above 0: see [LinchpinDatabaseSaturated](#linchpindatabasesaturated). Compare the durations of reads and transactions.',
      'Otherwise find the route in the dashboard, and the tenant by `ms` and `tokenId` in the log; successful reads need `LINCHPIN_LOG_LEVEL=debug`.',
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
      'The nodes are too small for what all tenants send together, or do not get their cores.',
    steps: [
      '`nodejs_eventloop_lag_p99_seconds` above 0.2, or many `computing` calls in `linchpin_runner_calls`: add nodes.',
      'Many `waiting` calls there: a provider is slow, see `linchpin_egress_circuits_open`.',
      'Log lines with `"error":"overloaded"` have `workspaceId` or `tokenId`: if a few send most of it, limit them with `LINCHPIN_RATES`.',
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
    meaning: 'They send more than their share, or their provider is slow.',
    steps: [
      'Log lines with `"error":"overloaded"` have `workspaceId` or `tokenId`, and `cause` or `reason`.',
      'Many requests: talk to the tenant, or limit it with `LINCHPIN_RATES`.',
      'Many `waiting` calls in `linchpin_runner_calls`: its provider is slow.',
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
      '`top` shows whether the process or another program takes the core. Add nodes, or limit a tenant with `LINCHPIN_RATES`.',
    ],
    test: {
      labels: { job: 'linchpin' },
      firing: { 'nodejs_eventloop_lag_p99_seconds{job="linchpin"}': '0.8x30' },
      healthy: { 'nodejs_eventloop_lag_p99_seconds{job="linchpin"}': '0.02x30' },
    },
  },
]

/** Every alert, in the order of docs/runbooks.md. */
export const ALERTS: readonly Alert[] = [
  ...SERVICE_ALERTS,
  ...LOAD_ALERTS,
  ...STORAGE_ALERTS,
  ...CONNECTION_ALERTS,
  ...WEBHOOK_ALERTS,
]
