import type { MetricDefinitions } from './metric.ts'

/** The metrics of a node and of the requests that it answers. */
export const HTTP_METRICS = {
  linchpin_build_info: {
    type: 'gauge',
    help: 'Always 1: the version of Linchpin and of Node that runs.',
    labels: {
      version: 'the version of Linchpin',
      commit: 'the commit of the release or of the clone, else `unknown`',
      node: 'the version of Node',
    },
  },
  linchpin_ready: {
    type: 'gauge',
    help: 'Whether /health/ready responds with 200 now: 1, else 0.',
  },
  linchpin_draining: {
    type: 'gauge',
    help: 'Whether the process has received SIGTERM and will stop: 1, else 0.',
  },
  linchpin_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Response time of requests.',
    labels: {
      method: 'the HTTP method',
      route: 'the route template, never a URL',
      status: 'the HTTP status',
      by: '`provider` for responses of a provider through the proxy, `tenant` for 503 `overloaded` with the scope `tenant`',
    },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
  },
  linchpin_http_requests_in_progress: {
    type: 'gauge',
    help: 'Requests without a complete response. During a drain, those that its timeout would cut off.',
  },
  linchpin_http_queued_requests: {
    type: 'gauge',
    help: 'API requests in the fair queue of tenants.',
  },
  linchpin_http_refused_requests_total: {
    type: 'counter',
    help: 'API requests rejected with 503 `overloaded`, because too many of their tenant were queued.',
  },
  linchpin_overloaded_responses_total: {
    type: 'counter',
    help: 'Requests rejected with 503 `overloaded`, for whatever reason.',
    labels: {
      scope:
        '`tenant`: those of one or two tenants, which send more than their share. `service`: those of at least three within a minute, or of all, because the event loop was blocked',
    },
  },
  linchpin_idempotency_keys_total: {
    type: 'counter',
    help: 'Requests with an `Idempotency-Key`. Many replays: responses are lost between here and the clients, which send requests again.',
    labels: {
      outcome:
        '`first`, `replayed` (answered with the stored response), `in_progress` (rejected: the first has not ended) or `reused` (rejected: the key belongs to another request)',
    },
  },
  linchpin_spans_exported_total: {
    type: 'counter',
    help: 'Spans that the collector of LINCHPIN_OTLP_ENDPOINT has accepted.',
  },
  linchpin_spans_dropped_total: {
    type: 'counter',
    help: 'Spans that did not reach the collector.',
    labels: {
      reason:
        '`queue_full`, `failed` (the collector did not respond with success) or `rejected` (by a partial success)',
    },
  },
} as const satisfies MetricDefinitions
