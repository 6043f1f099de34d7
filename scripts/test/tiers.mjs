/**
 * What `npm test` leaves to the second tier: what takes long and breaks rarely. `npm run test:all` and `.ci/run` run both
 * tiers, so that nothing is left out before a change lands.
 */
const SECOND_TIER = [
  'examples/',
  'packages/server/test/browser/',
  'packages/server/test/fuzz/',
  'packages/server/test/reliability/',
  'scripts/',
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
