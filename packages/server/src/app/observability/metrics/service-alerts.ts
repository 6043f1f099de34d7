import type { Alert } from './alert.ts'
import { SELECTORS } from './selectors.ts'

const DURATION = 'linchpin_http_request_duration_seconds'

/** Alerts about the node and its requests. */
export const SERVICE_ALERTS: readonly Alert[] = [
  {
    name: 'LinchpinDown',
    severity: 'page',
    for: '2m',
    expr: 'absent(linchpin_build_info) or up{job="linchpin"} == 0',
    summary: 'Prometheus cannot read a node of Linchpin.',
    meaning:
      'The process has ended, hangs, or the network between them is broken. With other nodes customers notice nothing.',
    steps: [
      '`systemctl status linchpin`, `docker ps` or `kubectl get pods`: is it running? With the exit code 78, standard error says what you have to change.',
      '`curl -i http://NODE:3000/health/live`. Without a response, restart the process.',
      'If it ends again, start the previous release ([upgrading](maintenance.md#upgrades)) or restore a backup ([backup](maintenance.md#backups)).',
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
    name: 'LinchpinNotReady',
    severity: 'page',
    for: '5m',
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
    name: 'LinchpinErrors',
    severity: 'page',
    for: '5m',
    expr: `sum(rate(${DURATION}_count{status=~"500|503", ${SELECTORS.own}}[5m])) > 0.02 * sum(rate(${DURATION}_count{${SELECTORS.own}}[5m]))`,
    summary: 'More than 2 % of the requests fail because of Linchpin.',
    meaning:
      'Failures of providers (502, 504) and 503 `overloaded` for one tenant are not among them.',
    steps: [
      'Find the code: log lines with `"level":"error"` have `error`, `route`, `tokenId` and `cause`; [errors](errors.md) explains each.',
      '`overloaded`: see [LinchpinOverloaded](#linchpinoverloaded). `storage_unavailable`, `storage_full`: see [LinchpinNotReady](#linchpinnotready).',
      '`internal_error` is a defect: its line has a stack trace. Report it; if it began with an upgrade, go back.',
    ],
    test: {
      firing: {
        [`${DURATION}_count{status="200"}`]: '0+600x20',
        [`${DURATION}_count{status="500"}`]: '0+60x20',
        [`${DURATION}_count{status="200", route="/health/live"}`]: '0+60000x20',
      },
      healthy: {
        [`${DURATION}_count{status="200"}`]: '0+600x20',
        [`${DURATION}_count{status="502"}`]: '0+60x20',
        [`${DURATION}_count{status="503", route="/health/ready"}`]: '0+60x20',
        [`${DURATION}_count{status="503", by="provider"}`]: '0+60x20',
        [`${DURATION}_count{status="503", by="tenant"}`]: '0+60x20',
      },
    },
  },
  {
    name: 'LinchpinSpansDropped',
    severity: 'ticket',
    for: '15m',
    expr: 'sum by (reason) (increase(linchpin_spans_dropped_total[15m])) > 0',
    summary: 'Spans do not reach the collector of traces.',
    meaning: 'Traces are incomplete. Requests are not affected.',
    steps: [
      '`failed`: lines with `spans` have the response of the collector. Is it reachable, and are the headers of LINCHPIN_OTLP_HEADERS right?',
      '`queue_full`: the collector is too slow: lower `LINCHPIN_OTLP_RATIO`.',
      '`rejected`: the log of the collector says why.',
    ],
    test: {
      labels: { reason: 'failed' },
      minute: 40,
      firing: { 'linchpin_spans_dropped_total{reason="failed"}': '0+5x50' },
      healthy: { 'linchpin_spans_dropped_total{reason="failed"}': '7x50' },
    },
  },
  {
    name: 'LinchpinRunnerCrashes',
    severity: 'ticket',
    for: '0m',
    expr: 'increase(linchpin_runner_restarts_total[15m]) > 3',
    summary: 'Processes that run integrations crash.',
    meaning: 'A bundle exhausts its memory or attacks the sandbox. Calls of others are repeated.',
    steps: [
      'Lines with `killed a runner child` or `a runner child failed` have the reason. With `a runner child was lost` alone, another program killed it: look for the OOM killer in `dmesg`.',
      'The request lines of the same seconds with an `error` have its `cause`, and `tool` or `accountId`: find the definition that all of them use. Upgrade or delete it.',
    ],
    test: {
      firing: { linchpin_runner_restarts_total: '0+1x30' },
      healthy: { linchpin_runner_restarts_total: '2x30' },
    },
  },
]
