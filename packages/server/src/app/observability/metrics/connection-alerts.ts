import type { Alert } from './alert.ts'

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
      '`refused`, `not_sent`: lines with `the provider rejected a token refresh` have `definitionId` and `error`. Mostly the client secret of an OAuth app has expired: [sign-in](oauth.md#troubleshooting).',
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
    meaning:
      'A provider with many accounts is away or limits us, or this installation cannot reach the internet. Tokens are refreshed later, but expire meanwhile.',
    steps: [
      'Lines with `tokens could not be refreshed` and `an outgoing request failed` name the reason and the host.',
      'All hosts: see [LinchpinEgressUnavailable](#linchpinegressunavailable). One host: see the status page of the provider; Linchpin resumes by itself.',
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
      'The nodes do not keep up, or no node runs background work. Tokens are still refreshed when they are used, so callers see latency first.',
    steps: [
      'Is `linchpin_background_job_last_success_timestamp_seconds{name="token_refresh"}` recent on every node? Otherwise lines with `background work failed` have the cause, see [LinchpinBackgroundJobFails](#linchpinbackgroundjobfails). Without such a line, restart that node.',
      'Compare `linchpin_token_refreshes_overdue` with the rate of `linchpin_token_refreshes_total`: raise `LINCHPIN_REFRESH_CONCURRENCY`, or add nodes ([token refresh](operating.md#token-refresh)).',
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
      'Send customers reconnect links: [connect sessions](connect-page.md).',
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
    meaning: 'Four of five attempts of the last half hour failed, more than ten of them.',
    steps: [
      'The label `code` tells why; [Why did it fail?](connect-page.md#why-did-it-fail) explains each.',
      '`credentials_rejected`: has the provider changed its keys or its API? `provider_timeout`, `provider_unreachable`: see its status page. `oauth_app_…`: see [sign-in](oauth.md#troubleshooting).',
      'If an upgrade of the definition is the cause, [roll it back](catalogue.md).',
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
      'Most outgoing requests fail because of name resolution, the route or the proxy of the operator: checks, sign-ins, refreshes and webhooks of this node.',
    steps: [
      'On the node: `getent hosts api.github.com`, then `curl -sI https://api.github.com`.',
      'Lines with `an outgoing request failed` have the reason. With `LINCHPIN_EGRESS_PROXY`, look at the proxy.',
      'Take the node out of the load balancer until it is repaired.',
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
    meaning:
      'Depending on the job, tokens are refreshed late, or expired data stays longer than it should.',
    steps: [
      'Lines with `background work failed` have the cause.',
      'With `storage_unavailable` as the cause, see [LinchpinNotReady](#linchpinnotready). Otherwise report it with the line.',
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
      'Linchpin keeps the last valid document. Either the registry expired, or an attacker tries to replace it.',
    steps: [
      'The line `the registry document was rejected` has the reason.',
      'Expired: sign it again (`linchpin registry sign`). Wrongly signed or rolled back, and you did not change it: treat it as an attack on the web server of the registry.',
    ],
    test: {
      labels: { outcome: 'refused' },
      firing: { 'linchpin_registry_fetches_total{outcome="refused"}': '0x10 1x60' },
      healthy: { 'linchpin_registry_fetches_total{outcome="unchanged"}': '0+1x60' },
    },
  },
]
