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
