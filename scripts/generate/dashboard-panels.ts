import { SELECTORS } from '../../packages/server/src/app/observability/metrics/alert.ts'

/** A panel: a title, what its lines are, and the unit of Grafana. */
export interface Panel {
  readonly title: string
  readonly unit: 'reqps' | 'percentunit' | 's' | 'bytes' | 'short' | 'none'
  /** PromQL, with the legend of its lines. */
  readonly lines: readonly (readonly [expr: string, legend: string])[]
}

export interface Row {
  readonly title: string
  readonly panels: readonly Panel[]
}

const HTTP = 'linchpin_http_request_duration_seconds'
const RATE = '[$__rate_interval]'

/** The dashboard from top to bottom: what customers notice, then why. */
export const ROWS: readonly Row[] = [
  {
    title: 'What customers notice',
    panels: [
      {
        title: 'Requests',
        unit: 'reqps',
        lines: [[`sum by (status) (rate(${HTTP}_count${RATE}))`, '{{status}}']],
      },
      {
        title: 'Failed requests',
        unit: 'percentunit',
        lines: [
          [
            `(sum(rate(${HTTP}_count{status=~"5..", ${SELECTORS.own}}${RATE})) or vector(0)) / sum(rate(${HTTP}_count{${SELECTORS.own}}${RATE}))`,
            'because of Linchpin',
          ],
          [
            `(sum(rate(${HTTP}_count{status=~"5..", by="provider"}${RATE})) or vector(0)) / sum(rate(${HTTP}_count${RATE}))`,
            'because of providers',
          ],
        ],
      },
      {
        title: 'Response time of reads',
        unit: 's',
        lines: ['0.5', '0.99'].map((quantile) => [
          `histogram_quantile(${quantile}, sum by (le) (rate(${HTTP}_bucket{${SELECTORS.reads}}${RATE})))`,
          `p${Number(quantile) * 100}`,
        ]),
      },
      {
        title: 'Connects by outcome',
        unit: 'short',
        lines: [
          ['sum by (outcome) (increase(linchpin_connect_attempts_total[1h]))', '{{outcome}}'],
        ],
      },
      {
        title: 'Why connects fail',
        unit: 'short',
        lines: [
          [
            'topk(10, sum by (definition, code) (increase(linchpin_connect_attempts_total{outcome="failed"}[1h])))',
            '{{definition}} {{code}}',
          ],
        ],
      },
      {
        title: 'Accounts',
        unit: 'short',
        lines: [['max by (status) (linchpin_accounts)', '{{status}}']],
      },
    ],
  },
  {
    title: 'Token refresh and webhooks',
    panels: [
      {
        title: 'Token refreshes',
        unit: 'reqps',
        lines: [[`sum by (outcome) (rate(linchpin_token_refreshes_total${RATE}))`, '{{outcome}}']],
      },
      {
        title: 'Refresh lag',
        unit: 's',
        lines: [['max(linchpin_token_refresh_lag_seconds)', 'longest overdue']],
      },
      {
        title: 'Webhook deliveries',
        unit: 'reqps',
        lines: [[`sum by (outcome) (rate(linchpin_webhook_attempts_total${RATE}))`, '{{outcome}}']],
      },
      {
        title: 'Requests with an Idempotency-Key',
        unit: 'reqps',
        lines: [[`sum by (outcome) (rate(linchpin_idempotency_keys_total${RATE}))`, '{{outcome}}']],
      },
    ],
  },
  {
    title: 'Sandbox and outgoing requests',
    panels: [
      {
        title: 'Bundle calls',
        unit: 'short',
        lines: [['sum by (lane, state) (linchpin_runner_calls)', '{{lane}} {{state}}']],
      },
      {
        title: 'Outgoing requests',
        unit: 'reqps',
        lines: [
          [
            `sum by (purpose, outcome) (rate(linchpin_egress_request_duration_seconds_count${RATE}))`,
            '{{purpose}} {{outcome}}',
          ],
        ],
      },
      {
        title: 'Refused',
        unit: 'reqps',
        lines: [
          [`sum(rate(linchpin_runner_refused_calls_total${RATE}))`, 'bundle calls'],
          [`sum(rate(linchpin_http_refused_requests_total${RATE}))`, 'requests'],
          [
            `sum by (scope) (rate(linchpin_overloaded_responses_total${RATE}))`,
            'overloaded: {{scope}}',
          ],
          [`sum(rate(linchpin_egress_circuit_refusals_total${RATE}))`, 'by open circuits'],
        ],
      },
    ],
  },
  {
    title: 'Node and storage',
    panels: [
      {
        title: 'Event loop delay p99',
        unit: 's',
        lines: [['nodejs_eventloop_lag_p99_seconds{job="linchpin"}', '{{instance}}']],
      },
      {
        title: 'Draining',
        unit: 'short',
        lines: [['sum by (instance) (linchpin_draining)', '{{instance}}']],
      },
      {
        title: 'Memory',
        unit: 'bytes',
        lines: [['process_resident_memory_bytes{job="linchpin"}', '{{instance}}']],
      },
      {
        title: 'Transactions p99',
        unit: 's',
        lines: [
          [
            `histogram_quantile(0.99, sum by (le, outcome) (rate(linchpin_database_transaction_duration_seconds_bucket${RATE})))`,
            '{{outcome}}',
          ],
        ],
      },
      {
        title: 'Reads p99',
        unit: 's',
        lines: [
          [
            `histogram_quantile(0.99, sum by (le, kind) (rate(linchpin_database_read_duration_seconds_bucket${RATE})))`,
            '{{kind}}',
          ],
        ],
      },
      {
        title: 'Connections to PostgreSQL',
        unit: 'short',
        lines: [
          ['sum by (pool, state) (linchpin_database_connections)', '{{pool}} {{state}}'],
          ['sum by (pool) (linchpin_database_waiting)', '{{pool}} waiting'],
        ],
      },
      {
        title: 'Size of the database',
        unit: 'bytes',
        lines: [
          ['max(linchpin_database_size_bytes)', 'database'],
          ['max(linchpin_database_wal_bytes)', 'write-ahead log'],
          ['min(linchpin_database_free_bytes)', 'free'],
        ],
      },
      {
        title: 'Background jobs: last success',
        unit: 's',
        lines: [
          [
            'time() - max by (name) (linchpin_background_job_last_success_timestamp_seconds)',
            '{{name}}',
          ],
        ],
      },
    ],
  },
]
