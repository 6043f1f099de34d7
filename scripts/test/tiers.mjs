/**
 * What `npm test` leaves to the second tier: what takes long and breaks rarely. `npm run test:all` and `.ci/run` run both
 * tiers, so that nothing is left out before a change lands.
 */
const SECOND_TIER = [
  // Browsers, tours and what is packed.
  'examples/',
  'packages/cli/test/import/',
  'packages/kit/src/cli/new/',
  'packages/kit/test/',
  'packages/sdk/test/releases/',
  'packages/sdk/test/vendors/',
  'packages/server/test/browser/',
  'scripts/',
  'test/docs/quickstart.test.ts',
  'test/docs/tour.test.ts',
  'test/generated-clients/',
  // Kills, crashes, lost connections and starts of whole nodes.
  'packages/runner/src/pool/',
  'packages/sdk/test/lost-responses.test.ts',
  'packages/sdk/test/tail/',
  'packages/server/src/app/idempotency/crash-points.test.ts',
  'packages/server/src/app/operator/backup/',
  'packages/server/src/app/start/',
  'packages/server/src/platform/storage/crash.test.ts',
  'packages/server/src/privacy/erasure/deleted-meanwhile.test.ts',
  'packages/server/src/privacy/erasure/in-flight.test.ts',
  'packages/server/test/reliability/',
  // Attacks, costs and limits.
  'bench/proofs/',
  'packages/runner/src/guest/published-bundle.test.ts',
  'packages/runner/src/sandbox/long-texts.test.ts',
  'packages/runner/test/',
  'packages/server/src/accounts/accounts/health/definition-breaker.test.ts',
  'packages/server/src/accounts/accounts/token-refresh/checks/check-figures.test.ts',
  'packages/server/src/accounts/mcp-client/pinned-tools.test.ts',
  'packages/server/src/accounts/proxy/proxy-limits.test.ts',
  'packages/server/src/activity/webhooks/dispatch/fairness.test.ts',
  'packages/server/src/app/observability/event-loop-stall.test.ts',
  'packages/server/src/connect/connect-page/hostile-texts.test.ts',
  'packages/server/src/connect/connect-page/start/bound-session.test.ts',
  'packages/server/src/connect/connect-page/start/step-up.test.ts',
  'packages/server/src/connect/oauth-flow/granular-consent.test.ts',
  'packages/server/src/platform/http/limit-connections.test.ts',
  'packages/server/src/privacy/erasure/erase-hostile-identifiers.test.ts',
  'packages/server/src/privacy/erasure/many-accounts.test.ts',
  'packages/server/test/body-cost.test.ts',
  'packages/server/test/conformance/',
  'packages/server/test/emulator/every-life-cycle.test.ts',
  'packages/server/test/fuzz/',
  'packages/server/test/large-responses.test.ts',
  'packages/server/test/published-bundles.test.ts',
  'packages/server/test/query-plans/',
  'packages/server/test/response-cost.test.ts',
  'packages/server/test/unresolvable-hosts.test.ts',
  'test/isolation/',
]

/** Folders and files whose SQL, locks or transactions differ: the first tier runs them on PostgreSQL as well. */
const ON_BOTH_DATABASES = [
  'packages/server/src/access/auth/',
  'packages/server/src/activity/audit/',
  'packages/server/src/activity/events/',
  'packages/server/src/activity/webhooks/dispatch/',
  'packages/server/src/app/idempotency/',
  'packages/server/src/platform/storage/',
]

const USES_POSTGRES = /\bdescribe(?:OnBothDatabases|Postgres|OwnPostgres)\(/

/**
 * Sorts a test file into the runs of the tiers: on which databases it runs there, or undefined if it does not.
 *
 * @param {string} file
 * @param {string} text the source of the file
 * @returns {{ first?: 'sqlite' | 'all', second?: 'postgres' | 'all' }}
 */
export function getTiers(file, text) {
  const isIn = (prefixes) => prefixes.some((prefix) => file.startsWith(prefix))
  if (isIn(SECOND_TIER)) return { second: 'all' }
  if (!USES_POSTGRES.test(text) || isIn(ON_BOTH_DATABASES)) return { first: 'all' }
  return { first: 'sqlite', second: 'postgres' }
}
