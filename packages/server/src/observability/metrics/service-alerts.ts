import type { Alert } from './alert.ts'

const DURATION = 'linchpin_http_request_duration_seconds'

/** Alerts about the node, its requests and its storage. */
export const SERVICE_ALERTS: readonly Alert[] = [
  {
    ...{ name: 'LinchpinDown', severity: 'page', for: '2m' },
    expr: 'absent(linchpin_build_info) or up{job="linchpin"} == 0',
    summary: 'Prometheus cannot read a node of Linchpin.',
    meaning:
      'The process has ended, hangs, or the network between them is broken. With other nodes customers notice nothing.',
    steps: [
      '`systemctl status linchpin`, `docker ps` or `kubectl get pods`: is it running? An exit code of 78 means that a setting or the data needs a person: the reason is on standard error.',
      '`curl -i http://NODE:3000/health/live`. Without a response, restart the process.',
      'If it ends again, start the previous release ([upgrading](upgrading.md)) or restore a backup ([backup](backup.md)).',
    ],
    test: {
      minute: 9,
      labels: { instance: 'a', job: 'linchpin' },
      firing: {
        'up{job="linchpin", instance="a"}': '0x10',
        'linchpin_build_info{instance="b"}': '1x10',
      },
      healthy: {
        'up{job="linchpin", instance="a"}': '1x10',
        'linchpin_build_info{instance="b"}': '1x10',
      },
    },
  },
  {
    ...{ name: 'LinchpinNotReady', severity: 'page', for: '5m' },
    expr: 'linchpin_ready == 0 and linchpin_draining == 0',
    summary: 'A node has not been ready for five minutes, so the load balancer sends it nothing.',
    meaning: '`GET /health/ready` tells why: `storage unavailable` or `storage full`.',
    steps: [
      '`curl http://NODE:3000/health/ready` prints the reason.',
      '`storage unavailable`: is PostgreSQL up, and does it accept connections and writes? Nodes recover by themselves once it does.',
      '`storage full`: see [LinchpinStorageNearlyFull](#linchpinstoragenearlyfull).',
    ],
    test: {
      minute: 9,
      firing: { linchpin_ready: '0x10', linchpin_draining: '0x10' },
      healthy: { linchpin_ready: '1x10', linchpin_draining: '0x10' },
    },
  },
  {
    ...{ name: 'LinchpinErrors', severity: 'page', for: '5m' },
    expr: `sum(rate(${DURATION}_count{status=~"500|503", by=""}[5m])) > 0.02 * sum(rate(${DURATION}_count{by=""}[5m]))`,
    summary: 'More than 2 % of the requests fail because of Linchpin.',
    meaning:
      '502 and 504, with which Linchpin reports that a provider or an integration failed, are not among them.',
    steps: [
      'Find the code: log lines with `"level":"error"` have `error`, `route`, `workspaceId` and `cause`; [errors](errors.md) explains each.',
      '`overloaded`: see [LinchpinOverloaded](#linchpinoverloaded). `storage_unavailable`, `storage_full`: see [LinchpinNotReady](#linchpinnotready).',
      '`internal_error` is a defect: its line has a stack trace. Report it; if it began with an upgrade, go back.',
    ],
    test: {
      firing: {
        [`${DURATION}_count{status="200"}`]: '0+600x20',
        [`${DURATION}_count{status="500"}`]: '0+60x20',
      },
      healthy: {
        [`${DURATION}_count{status="200"}`]: '0+600x20',
        [`${DURATION}_count{status="502"}`]: '0+60x20',
        [`${DURATION}_count{status="503", by="provider"}`]: '0+60x20',
      },
    },
  },
  {
    ...{ name: 'LinchpinSlow', severity: 'ticket', for: '10m' },
    expr: `histogram_quantile(0.99, sum by (le) (rate(${DURATION}_bucket{method="GET", status="200", by=""}[5m]))) > 1`,
    summary: 'One read in a hundred takes longer than a second.',
    meaning:
      'Reads normally take milliseconds. They wait for the database, the event loop, or other requests of their tenant.',
    steps: [
      'Compare `nodejs_eventloop_lag_p99_seconds`: above 0.2, a core is saturated. Add nodes or `LINCHPIN_WORKERS`.',
      'Compare `linchpin_database_waiting` and `linchpin_database_transaction_duration_seconds`: see [LinchpinDatabaseSaturated](#linchpindatabasesaturated).',
      'Otherwise find the route in the dashboard, and its tenant in the log lines by `ms` and `workspaceId`.',
    ],
    test: {
      firing: {
        [`${DURATION}_bucket{method="GET", status="200", le="1"}`]: '0+60x30',
        [`${DURATION}_bucket{method="GET", status="200", le="2.5"}`]: '0+90x30',
        [`${DURATION}_bucket{method="GET", status="200", le="+Inf"}`]: '0+90x30',
      },
      healthy: {
        [`${DURATION}_bucket{method="GET", status="200", le="0.1"}`]: '0+90x30',
        [`${DURATION}_bucket{method="GET", status="200", le="+Inf"}`]: '0+90x30',
      },
    },
  },
  {
    ...{ name: 'LinchpinOverloaded', severity: 'page', for: '5m' },
    expr: 'sum(rate(linchpin_runner_refused_calls_total[5m])) + sum(rate(linchpin_http_refused_requests_total[5m])) > 0.1',
    summary: 'Requests are rejected with 503 `overloaded`.',
    meaning:
      'Either one tenant sends more than its share, which only that tenant notices, or the node is too small for all of them.',
    steps: [
      'Log lines with `"error":"overloaded"` have `workspaceId` and `tokenId`: is it one tenant? Limit it with `LINCHPIN_RATES`, or talk to it.',
      'Otherwise compare `linchpin_runner_calls` by `state`. Many `waiting` calls: a provider is slow, see `linchpin_egress_circuits_open`. Many `computing` calls: add nodes.',
    ],
    test: {
      firing: {
        'linchpin_runner_refused_calls_total{lane="checks"}': '0+30x20',
        linchpin_http_refused_requests_total: '0x20',
      },
      healthy: {
        'linchpin_runner_refused_calls_total{lane="checks"}': '0x20',
        linchpin_http_refused_requests_total: '0x20',
      },
    },
  },
  {
    ...{ name: 'LinchpinEventLoopBlocked', severity: 'ticket', for: '10m' },
    expr: 'nodejs_eventloop_lag_p99_seconds{job="linchpin"} > 0.5',
    summary: 'A process does not get to its work for half a second at a time.',
    meaning: 'Its core is saturated, or memory is swapped.',
    steps: [
      '`top`: is the process at 100 % of a core, or does another program take it?',
      'Add nodes or `LINCHPIN_WORKERS`; limit a tenant with `LINCHPIN_RATES`.',
    ],
    test: {
      labels: { job: 'linchpin' },
      firing: { 'nodejs_eventloop_lag_p99_seconds{job="linchpin"}': '0.8x30' },
      healthy: { 'nodejs_eventloop_lag_p99_seconds{job="linchpin"}': '0.02x30' },
    },
  },
  {
    ...{ name: 'LinchpinDatabaseSaturated', severity: 'page', for: '5m' },
    expr: 'sum by (instance, pool) (linchpin_database_waiting) > 5',
    summary: 'Requests wait for connections to PostgreSQL.',
    meaning:
      'The pool is too small, or statements take too long: a lock, a slow disk, a missing vacuum.',
    steps: [
      'In PostgreSQL: `select pid, state, wait_event_type, now() - query_start, left(query, 80) from pg_stat_activity order by 4 desc` shows what takes long, and `pg_blocking_pids(pid)` who blocks it.',
      'End what blocks: `select pg_terminate_backend(PID)`.',
      'If nothing does, raise the connections of the pool in the [settings](operating.md#settings), within `max_connections` of the server.',
    ],
    test: {
      labels: { pool: 'write' },
      firing: { 'linchpin_database_waiting{pool="write"}': '9x20' },
      healthy: { 'linchpin_database_waiting{pool="write"}': '0x20' },
    },
  },
  {
    ...{ name: 'LinchpinStorageNearlyFull', severity: 'page', for: '10m' },
    expr: 'linchpin_database_free_bytes < 0.2 * linchpin_database_size_bytes or linchpin_database_free_bytes < 500e6',
    summary: 'The disk of the embedded database is nearly full.',
    meaning:
      'Once it is full, writes are rejected with 503 `storage_full`; reads go on, and nothing is lost.',
    steps: [
      '`df -h` and `du -sh` of the data folder: old backups and `linchpin.db.replaced-…` can go elsewhere.',
      'Shorten the retention of events, attempts and tombstones in the [settings](operating.md#settings).',
      'Enlarge the disk. Linchpin continues without a restart.',
    ],
    test: {
      firing: { linchpin_database_free_bytes: '100e6x30', linchpin_database_size_bytes: '1e9x30' },
      healthy: { linchpin_database_free_bytes: '50e9x30', linchpin_database_size_bytes: '1e9x30' },
    },
  },
  {
    ...{ name: 'LinchpinWalGrows', severity: 'ticket', for: '15m' },
    expr: 'linchpin_database_wal_bytes > 1e9',
    summary: 'The write-ahead log of the embedded database is larger than 1 GB.',
    meaning:
      'Something reads the database for so long that the log cannot be shortened: a backup, an export, or `sqlite3` in a terminal.',
    steps: [
      '`fuser -v linchpin.db` lists the programs that have it open. End those that are not Linchpin.',
      'The log shrinks at the next checkpoint.',
    ],
    test: {
      minute: 30,
      firing: { linchpin_database_wal_bytes: '2e9x40' },
      healthy: { linchpin_database_wal_bytes: '4e6x40' },
    },
  },
  {
    ...{ name: 'LinchpinRunnerCrashes', severity: 'ticket', for: '0m' },
    expr: 'increase(linchpin_runner_restarts_total[15m]) > 3',
    summary: 'Processes that run integrations crash.',
    meaning: 'A bundle exhausts its memory or attacks the sandbox. Calls of others are repeated.',
    steps: [
      'Lines with `killed a runner child` or `a runner child ended` have the reason.',
      'The lines before name definition and workspace of the calls. Upgrade or delete that definition.',
    ],
    test: {
      firing: { linchpin_runner_restarts_total: '0+1x30' },
      healthy: { linchpin_runner_restarts_total: '2x30' },
    },
  },
]
