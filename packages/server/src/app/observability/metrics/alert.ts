/** A Prometheus alert, with what the person does whom it wakes, and the series that prove that it fires. */
export interface Alert {
  readonly name: string
  /** `page` wakes a person; `ticket` waits for the next working day. */
  readonly severity: 'page' | 'ticket'
  readonly expr: string
  /** How long the expression holds before the alert fires. */
  readonly for: string
  /** One sentence, with what customers notice. */
  readonly summary: string
  readonly meaning: string
  /** Where to look, and what to do, in this order. Markdown. */
  readonly steps: readonly string[]
  /** Series in the notation of promtool, at one value a minute: with `firing` the alert fires, with `healthy` it does not. */
  readonly test: {
    /** When it is decided. Default: 20. */
    readonly minute?: number
    /** The labels with which it fires besides `severity`. Default: none. */
    readonly labels?: Readonly<Record<string, string>>
    readonly firing: Readonly<Record<string, string>>
    readonly healthy: Readonly<Record<string, string>>
  }
}

/** Label matchers of the alerts and the dashboard. */
export const SELECTORS = {
  /** Reads that need nothing but the database. Long polls, exports and scrapes take their time in a healthy service. */
  reads:
    'method="GET", status="200", route=~"/api/v1/(user|link|integration_definition|integration_account)(/:[a-zA-Z]+)?"',
  /**
   * Requests that this service answers itself. Probes would hide the failures of a service with few other requests, and those
   * of a node that stops are no failures.
   */
  own: 'by="", route!~"/health/.*|/metrics"',
} as const

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
      'It has ended, hangs, or cannot be reached. With other nodes customers notice nothing.',
    steps: [
      '`systemctl status linchpin`, `docker ps` or `kubectl get pods`: does it run? With exit code 78, standard error says what you have to change.',
      '`curl -i http://NODE:3000/health/live` without a response: restart it.',
      'If it ends again, [go back](maintenance.md#going-back) to the previous release or restore a [backup](maintenance.md#backups).',
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
    summary: 'A node is not ready.',
    meaning: 'The load balancer sends it nothing.',
    steps: [
      '`curl http://NODE:3000/health/ready` prints the reason.',
      '`storage unavailable`: does PostgreSQL accept connections and writes? Nodes recover by themselves once it does.',
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
    meaning: 'Failures of providers (502, 504) and 503 `overloaded` for one tenant do not count.',
    steps: [
      'Log lines with `"level":"error"` have the code in `error`, which [errors](errors.md) explains, and `route`, `tokenId` and `cause`.',
      '`overloaded`: see [LinchpinOverloaded](#linchpinoverloaded). `storage_unavailable`, `storage_full`: see [LinchpinNotReady](#linchpinnotready).',
      '`internal_error` is a defect: report it with its stack trace. If it began with an upgrade, go back.',
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
    summary: 'Spans do not reach the collector.',
    meaning: 'Requests are not affected.',
    steps: [
      '`failed`: lines with `spans` have the response of the collector. Check the network and `LINCHPIN_OTLP_HEADERS`.',
      '`queue_full`: it is too slow: lower `LINCHPIN_OTLP_RATIO`.',
      '`rejected`: its log says why.',
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
      'Lines with `killed a runner child` or `a runner child failed` have the reason. With `a runner child was lost` alone, look for the OOM killer in `dmesg`.',
      'Request lines of the same seconds with an `error` have `tool` or `accountId`: find the definition that all of them use. Upgrade or delete it.',
    ],
    test: {
      firing: { linchpin_runner_restarts_total: '0+1x30' },
      healthy: { linchpin_runner_restarts_total: '2x30' },
    },
  },
]

const EGRESS = 'linchpin_egress_request_duration_seconds_count'

/** Alerts about connections and background work. */
export const CONNECTION_ALERTS: readonly Alert[] = [
  {
    name: 'LinchpinTokenRefreshesFail',
    severity: 'page',
    for: '10m',
    expr: 'sum(rate(linchpin_token_refreshes_total{outcome=~"refused|not_sent|failed"}[10m])) > 0.1 * sum(rate(linchpin_token_refreshes_total[10m]))',
    summary: 'More than a tenth of the token refreshes fail for a reason on our side.',
    meaning: 'Customers lose their connections when their access tokens expire.',
    steps: [
      '`refused`, `not_sent`: lines with `the provider rejected a token refresh` have `definitionId` and `error`. Mostly the client secret of an [OAuth app](oauth.md#troubleshooting) has expired.',
      '`failed`: lines with `tokens could not be refreshed` have the cause.',
    ],
    test: {
      minute: 30,
      firing: {
        'linchpin_token_refreshes_total{outcome="refreshed"}': '0+60x40',
        'linchpin_token_refreshes_total{outcome="refused"}': '0+30x40',
      },
      healthy: {
        'linchpin_token_refreshes_total{outcome="refreshed"}': '0+60x40',
        'linchpin_token_refreshes_total{outcome="rejected"}': '0+30x40',
      },
    },
  },
  {
    name: 'LinchpinTokenRefreshesUnanswered',
    severity: 'ticket',
    for: '30m',
    // A host that does not respond is tried once in 15 minutes: a shorter range would have times without an attempt.
    expr: 'sum(rate(linchpin_token_refreshes_total{outcome=~"unavailable|rate_limited"}[1h])) > 0.5 * sum(rate(linchpin_token_refreshes_total[1h]))',
    summary: 'Most token refreshes get no usable response.',
    meaning: 'A provider with many accounts is unavailable or limits us. Tokens expire meanwhile.',
    steps: [
      'Lines with `tokens could not be refreshed` and `an outgoing request failed` name the reason and the host.',
      'All hosts: see [LinchpinEgressUnavailable](#linchpinegressunavailable). One host: see the status page of its provider.',
      '`rate_limited`: ask the provider for a higher limit, or lower `LINCHPIN_REFRESH_CONCURRENCY`.',
    ],
    test: {
      minute: 90,
      firing: {
        'linchpin_token_refreshes_total{outcome="refreshed"}': '500x120',
        'linchpin_token_refreshes_total{outcome="unavailable"}':
          '0x2 3x15 4x15 5x15 6x15 7x15 8x15 9x15',
      },
      healthy: {
        'linchpin_token_refreshes_total{outcome="refreshed"}': '0+60x90',
        'linchpin_token_refreshes_total{outcome="unavailable"}': '0+20x90',
      },
    },
  },
  {
    name: 'LinchpinTokenRefreshesLate',
    severity: 'page',
    for: '10m',
    expr: 'max(linchpin_token_refresh_lag_seconds) > 300',
    summary: 'Tokens are refreshed more than five minutes late.',
    meaning:
      'The nodes do not keep up, or no node runs background work. Tokens are still refreshed at use.',
    steps: [
      'Is `linchpin_background_job_last_success_timestamp_seconds{name="token_refresh"}` recent on every node? Otherwise see [LinchpinBackgroundJobFails](#linchpinbackgroundjobfails); without a line in the log, restart that node.',
      'Raise `LINCHPIN_REFRESH_CONCURRENCY`, or add nodes ([token refresh](operating.md#token-refresh)).',
    ],
    test: {
      minute: 30,
      firing: { linchpin_token_refresh_lag_seconds: '900x40' },
      healthy: { linchpin_token_refresh_lag_seconds: '20x40' },
    },
  },
  {
    name: 'LinchpinAccountsNeedReauth',
    severity: 'ticket',
    for: '0m',
    expr: 'sum(increase(linchpin_token_refreshes_total{outcome="rejected"}[1h])) > 20 and sum(increase(linchpin_token_refreshes_total{outcome="rejected"}[1h])) > 0.05 * sum(increase(linchpin_token_refreshes_total[1h]))',
    summary: 'Many customers have to reconnect their accounts.',
    meaning: 'Mostly a provider has revoked grants, or an OAuth app was deleted or changed there.',
    steps: [
      '`GET /api/v1/integration_account?status=needs_reauth` lists the accounts: do they have one definition?',
      "Look into the provider's console: is the app still there, published, and within its quota?",
      'Send customers to [reconnect](connect-page.md#reconnect-an-account).',
    ],
    test: {
      minute: 80,
      firing: {
        'linchpin_token_refreshes_total{outcome="refreshed"}': '0+2x90',
        'linchpin_token_refreshes_total{outcome="rejected"}': '0+1x90',
      },
      healthy: {
        'linchpin_token_refreshes_total{outcome="refreshed"}': '0+60x90',
        'linchpin_token_refreshes_total{outcome="rejected"}': '0+1x90',
      },
    },
  },
  {
    name: 'LinchpinConnectsFail',
    severity: 'ticket',
    for: '15m',
    expr: 'sum by (definition) (rate(linchpin_connect_attempts_total{outcome="failed", code!="overloaded"}[30m])) > 0.8 * sum by (definition) (rate(linchpin_connect_attempts_total{outcome=~"failed|connected", code!="overloaded"}[30m])) and sum by (definition) (increase(linchpin_connect_attempts_total{outcome="failed", code!="overloaded"}[30m])) > 10',
    summary: 'No customer can connect one of the tools.',
    meaning: 'In half an hour, more than ten attempts failed, and more than four of five.',
    steps: [
      'The label `code` tells why; [Why did it fail?](connect-page.md#why-did-it-fail) explains each.',
      '`credentials_rejected`: has the provider changed its keys or its API? `provider_timeout`, `provider_unreachable`: see its status page. `oauth_app_…`: see the [OAuth app](oauth.md#troubleshooting).',
      'If an upgrade of the definition is the cause, [roll it back](catalogue-versions.md#versions).',
    ],
    test: {
      minute: 50,
      labels: { definition: 'hubspot' },
      firing: {
        'linchpin_connect_attempts_total{definition="hubspot", outcome="failed", code="credentials_rejected"}':
          '0+1x60',
      },
      healthy: {
        'linchpin_connect_attempts_total{definition="hubspot", outcome="failed", code="credentials_rejected"}':
          '0+1x60',
        'linchpin_connect_attempts_total{definition="hubspot", outcome="connected", code=""}':
          '0+3x60',
        'linchpin_connect_attempts_total{definition="hubspot", outcome="failed", code="overloaded"}':
          '0+90x60',
      },
    },
  },
  {
    name: 'LinchpinEgressUnavailable',
    severity: 'page',
    for: '5m',
    expr: `sum by (instance) (rate(${EGRESS}{outcome="egress_unavailable"}[5m])) > 0.5 * sum by (instance) (rate(${EGRESS}[5m])) and sum by (instance) (increase(${EGRESS}{outcome="egress_unavailable"}[5m])) > 2`,
    summary: 'A node cannot reach the internet.',
    meaning:
      'Most outgoing requests fail because of name resolution, the route or your proxy: checks, sign-ins, refreshes, webhooks.',
    steps: [
      'On the node: `getent hosts api.github.com`, then `curl -sI https://api.github.com`.',
      'Lines with `an outgoing request failed` have the reason.',
      'Take the node out of the load balancer.',
    ],
    test: {
      firing: {
        [`${EGRESS}{purpose="oauth", outcome="egress_unavailable"}`]: '0+1x20',
      },
      healthy: {
        [`${EGRESS}{purpose="oauth", outcome="timeout"}`]: '0+60x20',
        [`${EGRESS}{purpose="oauth", outcome="egress_unavailable"}`]: '0+30x20',
      },
    },
  },
  {
    name: 'LinchpinBackgroundJobFails',
    severity: 'ticket',
    for: '0m',
    // Responses are filled once a day.
    expr: 'time() - linchpin_background_job_last_success_timestamp_seconds{name!="fill_responses"} > 3600',
    summary: 'A background job has not succeeded for an hour.',
    meaning: 'Tokens are refreshed late, or expired data stays too long.',
    steps: [
      'Lines with `background work failed` have the cause. `storage_unavailable`: see [LinchpinNotReady](#linchpinnotready). Report others.',
    ],
    test: {
      minute: 80,
      labels: { name: 'rotations' },
      firing: {
        'linchpin_background_job_last_success_timestamp_seconds{name="rotations"}': '0x90',
      },
      healthy: {
        'linchpin_background_job_last_success_timestamp_seconds{name="rotations"}': '0+60x90',
      },
    },
  },
  {
    name: 'LinchpinRegistryRefused',
    severity: 'page',
    for: '0m',
    expr: 'increase(linchpin_registry_fetches_total{outcome="refused"}[1h]) > 0',
    summary: 'The registry of integrations is not signed by its key.',
    meaning:
      'Linchpin keeps the last valid document. It has expired, or an attacker tries to replace it.',
    steps: [
      'The line `the registry document was rejected` has the reason.',
      'Expired: sign it again (`linchpin registry sign`). Wrongly signed or rolled back, and not by you: treat it as an attack on the web server of the registry.',
    ],
    test: {
      labels: { outcome: 'refused' },
      firing: { 'linchpin_registry_fetches_total{outcome="refused"}': '0x10 1x60' },
      healthy: { 'linchpin_registry_fetches_total{outcome="unchanged"}': '0+1x60' },
    },
  },
]
