import type { MetricDefinitions } from './metric.ts'

const LANE = { lane: '`credentials` for the headers of proxied requests, `checks` for all others' }

/** The metrics of the sandbox and of outgoing requests. */
export const RUNNER_METRICS = {
  linchpin_runner_children: { type: 'gauge', help: 'Runner processes.' },
  linchpin_runner_confined: {
    type: 'gauge',
    help: 'Whether runner processes are inside bubblewrap with a seccomp filter: 1, else 0. 0 until the first has started.',
  },
  linchpin_runner_running_calls: { type: 'gauge', help: 'Bundle calls in progress.' },
  linchpin_runner_waiting_calls: { type: 'gauge', help: 'Queued bundle calls.' },
  linchpin_runner_calls: {
    type: 'gauge',
    help: 'Bundle calls now.',
    labels: { ...LANE, state: '`queued`, `computing`, or `waiting`, mostly for a provider' },
  },
  linchpin_runner_started_calls_total: {
    type: 'counter',
    help: 'Bundle calls that started.',
    labels: LANE,
  },
  linchpin_runner_queue_seconds_total: {
    type: 'counter',
    help: 'Time that bundle calls spent in the queue before they started.',
    labels: LANE,
  },
  linchpin_runner_refused_calls_total: {
    type: 'counter',
    help: 'Bundle calls rejected with 503 `overloaded`.',
    labels: LANE,
  },
  linchpin_runner_throttled_workspaces: {
    type: 'gauge',
    help: 'Workspaces whose calls currently run apart from those of others.',
  },
  linchpin_runner_preemptions_total: {
    type: 'counter',
    help: 'Calls that were restarted apart from others because they computed too long.',
  },
  linchpin_runner_retries_total: {
    type: 'counter',
    help: 'Calls that were restarted after another call crashed their process.',
  },
  linchpin_runner_restarts_total: {
    type: 'counter',
    help: 'Runner processes that crashed or were killed.',
  },
  linchpin_runner_replacements_total: {
    type: 'counter',
    help: 'Runner processes that were replaced on schedule.',
  },
  linchpin_egress_request_duration_seconds: {
    type: 'histogram',
    help: 'Duration of outgoing requests, until the response head of streamed ones.',
    labels: {
      purpose:
        '`bundle` (running integrations and the proxy), `oauth`, `webhook`, or `source` (downloads of bundles)',
      outcome:
        'the class of the status, such as `2xx`, or why there was no response: `refused`, `unreachable`, `timeout`, `too_large`, `too_many_redirects`, `aborted`, `egress_unavailable`, `circuit_open`, `failed`',
    },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  linchpin_egress_circuits_open: {
    type: 'gauge',
    help: 'Circuits that reject requests now: one per host and workspace, plus one per host that is unreachable for the whole node. The log names them.',
  },
  linchpin_egress_circuit_openings_total: { type: 'counter', help: 'Circuits that opened.' },
  linchpin_egress_circuit_refusals_total: {
    type: 'counter',
    help: 'Requests rejected by an open circuit.',
  },
} as const satisfies MetricDefinitions
