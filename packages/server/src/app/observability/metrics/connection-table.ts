import type { MetricDefinitions } from './metric.ts'

/** The metrics of connections: accounts, their tokens, and the definitions they are made with. */
export const CONNECTION_METRICS = {
  linchpin_accounts: {
    type: 'gauge',
    help: 'Accounts of all workspaces; counted at most every five minutes, the same on all nodes.',
    labels: { status: '`active`, `pending`, `needs_reauth` or `error`' },
  },
  linchpin_connect_attempts_total: {
    type: 'counter',
    help: 'Attempts to connect or check an account that this node has seen.',
    labels: {
      definition:
        'its key in the catalogue; `custom` for all others, `unknown` if the request named none',
      method: '`credentials` or `sign_in`',
      outcome: '`connected`, `accepted` by a check, `failed`, `cancelled` or `abandoned`',
      code: 'the [error code](errors.md), empty without an error',
    },
  },
  linchpin_link_checks_total: {
    type: 'counter',
    help: 'Credential checks on connect pages that failed, or were rejected or delayed because of failures.',
    labels: {
      outcome:
        '`failed`, `refused` (a visitor or network has exceeded its budget) or `delayed` (many checks failed at that link or definition)',
    },
  },
  linchpin_token_refreshes_total: {
    type: 'counter',
    help: 'Token refreshes of this node, in the background and at use.',
    labels: {
      outcome:
        '`refreshed`, `unavailable` (no usable response), `rate_limited`, `rejected` (the grant has ended: `needs_reauth`), `refused` (mostly a wrong client), `not_sent` (an app, a field or a secret is missing), `discarded` (it took longer than its lease), `failed` (see the log)',
    },
  },
  linchpin_token_refreshes_overdue: {
    type: 'gauge',
    help: 'Accounts whose refresh has been due for more than a minute, on all nodes, counted up to 10,000. Accounts of hosts that do not respond to this node are not among them.',
  },
  linchpin_token_refresh_lag_seconds: {
    type: 'gauge',
    help: 'For how long the refresh that is longest overdue has been due, on all nodes. Accounts of hosts that do not respond to this node are not among them. At most about 25 if the nodes keep up.',
  },
  linchpin_registry_fetches_total: {
    type: 'counter',
    help: 'Fetches of LINCHPIN_REGISTRY_URL by this node.',
    labels: {
      outcome:
        '`ok`, `unchanged`, `failed`, or `refused` (unsigned, wrongly signed, expired or rolled back)',
    },
  },
  linchpin_event_lag_seconds: {
    type: 'gauge',
    help: 'For how long the oldest event that readers and webhooks do not see yet has waited, on all nodes. Below 1 if the nodes keep up.',
  },
  linchpin_webhook_endpoints: {
    type: 'gauge',
    help: 'Webhook endpoints of all workspaces.',
    labels: { state: '`active`, `failing` (its circuit is open), `paused` or `disabled`' },
  },
  linchpin_webhook_lag_seconds: {
    type: 'gauge',
    help: 'For how long something has waited to be sent to a webhook endpoint that no node is sending to, on all nodes. A few seconds if the nodes keep up.',
  },
  linchpin_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts of this node to deliver an event.',
    labels: {
      outcome:
        '`delivered`, `failed` (tried again later), `given_up`, `event_deleted` (retention was faster) or `postponed` (this node cannot send)',
    },
  },
  linchpin_webhook_requests_in_flight: {
    type: 'gauge',
    help: 'Requests to webhook endpoints that this node is sending now, of at most 256.',
  },
} as const satisfies MetricDefinitions
