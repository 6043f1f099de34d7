/** The metrics of the database, the keys and background work. */
const STORAGE_METRICS = {
  linchpin_database_transaction_duration_seconds: {
    type: 'histogram',
    help: 'Duration of transactions, until the commit is durable.',
    labels: {
      outcome:
        '`committed`, `rolled_back` (the request was rejected), `unavailable`, `full` or `failed`',
    },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  linchpin_database_read_duration_seconds: {
    type: 'histogram',
    help: 'Duration of reads from PostgreSQL, including the wait for a connection, and of long ones from the embedded database.',
    labels: {
      kind: '`lookup` (few rows by their key), `list`, or `aside` (from the embedded database)',
    },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  linchpin_database_connections: {
    type: 'gauge',
    help: 'Connections to PostgreSQL.',
    labels: { pool: '`read`, `write` or `health`', state: '`used` or `idle`' },
  },
  linchpin_database_waiting: {
    type: 'gauge',
    help: 'Statements and transactions that wait for a connection to PostgreSQL.',
    labels: { pool: '`read`, `write` or `health`' },
  },
  linchpin_database_size_bytes: {
    type: 'gauge',
    help: 'Size of the database, measured at most once a minute.',
  },
  linchpin_database_wal_bytes: {
    type: 'gauge',
    help: 'Size of the write-ahead log of the embedded database.',
  },
  linchpin_database_free_bytes: {
    type: 'gauge',
    help: 'Free space on the disk of the embedded database.',
  },
  linchpin_encryption_key_info: {
    type: 'gauge',
    help: 'Always 1: the first key of LINCHPIN_KEYS.',
    labels: { key_id: 'its ID' },
  },
  linchpin_data_keys_outdated: {
    type: 'gauge',
    help: 'Data keys that a rotation has left, up to 1000 of each state.',
    labels: {
      state: '`other_key` (not wrapped by the first key) or `being_replaced` (by `keys rekey`)',
    },
  },
  linchpin_background_job_runs_total: {
    type: 'counter',
    help: 'Runs of background jobs.',
    labels: { name: 'the name of the job', outcome: '`done` or `failed`' },
  },
  linchpin_background_job_seconds_total: {
    type: 'counter',
    help: 'Duration of the runs of background jobs.',
    labels: { name: 'the name of the job' },
  },
  linchpin_background_job_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When a job last succeeded on this node, or since when the node runs, in seconds since 1970.',
    labels: { name: 'the name of the job' },
  },
} as const satisfies MetricDefinitions

const LANE = { lane: '`credentials` for the headers of proxied requests, `checks` for all others' }

/** The metrics of the sandbox and of outgoing requests. */
const RUNNER_METRICS = {
  linchpin_runner_children: { type: 'gauge', help: 'Runner processes; none until a bundle runs.' },
  linchpin_runner_confined: {
    type: 'gauge',
    help: '1 if runner processes are inside bubblewrap with a seccomp filter, else 0; 0 until the first has started, for the first bundle.',
  },
  linchpin_runner_running_calls: { type: 'gauge', help: 'Calls of integrations in progress.' },
  linchpin_runner_waiting_calls: { type: 'gauge', help: 'Queued calls of integrations.' },
  linchpin_runner_calls: {
    type: 'gauge',
    help: 'Calls of integrations now, in runner processes and in the service.',
    labels: { ...LANE, state: '`queued`, `computing`, or `waiting`, mostly for a provider' },
  },
  linchpin_runner_started_calls_total: {
    type: 'counter',
    help: 'Bundle calls started.',
    labels: LANE,
  },
  linchpin_runner_queue_seconds_total: {
    type: 'counter',
    help: 'Time that bundle calls spent in the queue.',
    labels: LANE,
  },
  linchpin_runner_refused_calls_total: {
    type: 'counter',
    help: 'Bundle calls rejected with 503 `overloaded`.',
    labels: LANE,
  },
  linchpin_runner_throttled_workspaces: {
    type: 'gauge',
    help: 'Workspaces whose calls run apart from others now.',
  },
  linchpin_runner_preemptions_total: {
    type: 'counter',
    help: 'Calls restarted apart from others because they computed too long.',
  },
  linchpin_runner_retries_total: {
    type: 'counter',
    help: 'Calls restarted after another call crashed their process.',
  },
  linchpin_runner_restarts_total: {
    type: 'counter',
    help: 'Runner processes that crashed or were killed.',
  },
  linchpin_runner_replacements_total: {
    type: 'counter',
    help: 'Runner processes replaced on schedule.',
  },
  linchpin_request_log_requests_total: {
    type: 'counter',
    help: 'Requests for the request log. `dropped` grows while the database is away or more than 5,000 workspaces send requests within a second.',
    labels: {
      outcome:
        '`stored`, `sampled` (another request of the same second stands for it) or `dropped`',
    },
  },
  linchpin_statistics_dropped_total: {
    type: 'counter',
    help: 'Events that `GET /v1/statistics` does not count, because more than 20,000 different counts wait for the database.',
  },
  linchpin_egress_request_duration_seconds: {
    type: 'histogram',
    help: 'Duration of outgoing requests; of streamed ones until the response head.',
    labels: {
      purpose:
        '`bundle` (integrations and the proxy), `oauth`, `webhook` or `source` (downloads of bundles)',
      outcome:
        'the class of the status, such as `2xx`, or why there was no response: `refused`, `unreachable`, `timeout`, `too_large`, `too_many_redirects`, `aborted`, `egress_unavailable`, `circuit_open`, `failed`',
    },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  linchpin_egress_circuits_open: {
    type: 'gauge',
    help: 'Circuits that reject requests now, per host and workspace, and per host for the whole node. The log names them.',
  },
  linchpin_egress_circuit_openings_total: { type: 'counter', help: 'Circuits that opened.' },
  linchpin_egress_circuit_refusals_total: {
    type: 'counter',
    help: 'Requests rejected by an open circuit.',
  },
} as const satisfies MetricDefinitions

/** The metrics of a node and of the requests that it answers. */
const HTTP_METRICS = {
  linchpin_build_info: {
    type: 'gauge',
    help: 'Always 1: the build that runs.',
    labels: {
      version: 'of Linchpin',
      commit: 'of the release or clone, else `unknown`',
      node: 'the version of Node',
    },
  },
  linchpin_ready: {
    type: 'gauge',
    help: '1 if /health/ready responds with 200, else 0.',
  },
  linchpin_draining: {
    type: 'gauge',
    help: '1 after SIGTERM, else 0.',
  },
  linchpin_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Response time of requests.',
    labels: {
      method: 'the HTTP method',
      route: 'the route template, never a URL',
      status: 'the HTTP status',
      by: '`provider` for its responses through the proxy, `tenant` for 503 `overloaded` with the scope `tenant`',
    },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
  },
  linchpin_http_requests_in_progress: {
    type: 'gauge',
    help: 'Requests without a complete response.',
  },
  linchpin_http_queued_requests: {
    type: 'gauge',
    help: 'API requests in the fair queue of tenants.',
  },
  linchpin_http_refused_requests_total: {
    type: 'counter',
    help: 'API requests rejected with 503 `overloaded` because too many of their tenant were queued.',
  },
  linchpin_overloaded_responses_total: {
    type: 'counter',
    help: 'Requests rejected with 503 `overloaded`.',
    labels: {
      scope:
        '`tenant` (of one or two tenants) or `service` (of at least three within a minute, or of all)',
    },
  },
  linchpin_idempotency_keys_total: {
    type: 'counter',
    help: 'Requests with an `Idempotency-Key`. Many replays mean lost responses.',
    labels: {
      outcome:
        '`first`, `replayed`, or rejected: `in_progress` (the first has not ended) or `reused` (for another request)',
    },
  },
  linchpin_spans_exported_total: {
    type: 'counter',
    help: 'Spans that the collector accepted.',
  },
  linchpin_spans_dropped_total: {
    type: 'counter',
    help: 'Spans that did not reach the collector.',
    labels: {
      reason:
        '`queue_full`, `failed` (no successful response) or `rejected` (by a partial success)',
    },
  },
} as const satisfies MetricDefinitions

/** The metrics of connections: accounts, their tokens, and the definitions they are made with. */
const CONNECTION_METRICS = {
  linchpin_accounts: {
    type: 'gauge',
    help: 'Accounts of all workspaces, counted every five minutes.',
    labels: { status: '`active`, `pending`, `needs_reauth` or `error`' },
  },
  linchpin_connect_attempts_total: {
    type: 'counter',
    help: 'Attempts to connect or check an account.',
    labels: {
      definition: 'its key in the catalogue, `custom`, or `unknown` if the request named none',
      method: '`credentials` or `sign_in`',
      outcome: '`connected`, `accepted` (by a check), `failed`, `cancelled` or `abandoned`',
      code: 'the [error code](errors.md), empty without an error',
    },
  },
  linchpin_link_checks_total: {
    type: 'counter',
    help: 'Credential checks on connect pages that failed, were refused or were delayed.',
    labels: {
      outcome:
        '`failed`, `refused` (a visitor or network exceeded its budget) or `delayed` (many failed at that link or definition)',
    },
  },
  linchpin_token_refreshes_total: {
    type: 'counter',
    help: 'Token refreshes, in the background and at use.',
    labels: {
      outcome:
        '`refreshed`, `unavailable` (no usable response), `rate_limited`, `rejected` (`needs_reauth`), `refused` (mostly a wrong client), `not_sent` (an app, a field or a secret is missing), `discarded` (it took too long) or `failed` (see the log)',
    },
  },
  linchpin_token_refreshes_overdue: {
    type: 'gauge',
    help: 'Accounts whose refresh has been due for more than a minute, up to 10,000, hosts that do not respond aside.',
  },
  linchpin_token_refresh_lag_seconds: {
    type: 'gauge',
    help: 'For how long the most overdue refresh has been due, hosts that do not respond aside. At most 25 if the nodes keep up.',
  },
  linchpin_registry_fetches_total: {
    type: 'counter',
    help: 'Fetches of LINCHPIN_REGISTRY_URL.',
    labels: {
      outcome:
        '`ok`, `unchanged`, `failed`, or `refused` (unsigned, wrongly signed, expired or rolled back)',
    },
  },
  linchpin_event_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest event without a number. Below 1 if the nodes keep up.',
  },
  linchpin_webhook_endpoints: {
    type: 'gauge',
    help: 'Webhook endpoints of all workspaces.',
    labels: { state: '`active`, `failing` (its circuit is open), `paused` or `disabled`' },
  },
  linchpin_webhook_lag_seconds: {
    type: 'gauge',
    help: 'For how long a delivery has waited at an endpoint that no node is sending to. A few seconds if the nodes keep up.',
  },
  linchpin_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts to deliver an event.',
    labels: {
      outcome:
        '`delivered`, `failed` (tried again later), `given_up`, `event_deleted` (retention was faster) or `postponed` (this node cannot send)',
    },
  },
  linchpin_webhook_requests_in_flight: {
    type: 'gauge',
    help: 'Requests to webhook endpoints in progress, at most 256.',
  },
} as const satisfies MetricDefinitions

/** Every metric of Linchpin by theme, in the order of docs/metrics.md. */
export const METRIC_THEMES = [
  { title: 'Requests', metrics: HTTP_METRICS },
  { title: 'Connections', metrics: CONNECTION_METRICS },
  { title: 'Sandbox and outgoing requests', metrics: RUNNER_METRICS },
  { title: 'Storage and background work', metrics: STORAGE_METRICS },
] as const

export const METRICS = {
  ...HTTP_METRICS,
  ...CONNECTION_METRICS,
  ...RUNNER_METRICS,
  ...STORAGE_METRICS,
}

export type MetricName = keyof typeof METRICS

/** What prom-client needs to create a metric of the table. */
export function describeMetric(name: MetricName) {
  const { help, labels = {} }: MetricDefinition = METRICS[name]
  return { name, help, labelNames: Object.keys(labels) }
}

/** What a metric is: the source of `/metrics`, docs/metrics.md, the dashboard and the alerts. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** One sentence, for `# HELP` and the table. */
  readonly help: string
  /** The meaning of the values of each label. Their number is bounded, and no tenant or visitor chooses them. */
  readonly labels?: Readonly<Record<string, string>>
  /** The upper bounds of a histogram, in the unit of its name. */
  readonly buckets?: readonly number[]
}

type MetricDefinitions = Readonly<Record<`linchpin_${string}`, MetricDefinition>>
