/** The audit trail, those entries included that are not chained yet. */
export const AUDIT_ENTRIES = `(
  SELECT action, subject, outcome FROM audit_events
  UNION ALL SELECT action, subject, outcome FROM audit_inbox) AS entries`

/** Queries for remains of a partial transaction: each must find no rows. For both dialects. */
const CONSISTENCY_QUERIES: Readonly<Record<string, string>> = {
  'an account without its audit event': `
    SELECT account_id FROM accounts WHERE NOT EXISTS (
      SELECT 1 FROM ${AUDIT_ENTRIES} WHERE action = 'account.created' AND subject = account_id)`,
  'an audit event without its account': `
    SELECT subject FROM ${AUDIT_ENTRIES} WHERE action = 'account.created' AND NOT EXISTS (
      SELECT 1 FROM accounts WHERE account_id = subject)`,
  // A link id is a capability, so the audit trail has only its first letters: compare counts.
  'links or their audit events without the other': `
    SELECT links.count AS links, events.count AS events
    FROM (SELECT count(*) AS count FROM links) links,
      (SELECT count(*) AS count FROM ${AUDIT_ENTRIES} WHERE action = 'link.created') events
    WHERE links.count <> events.count`,
  'an account without its event': `
    SELECT account_id FROM accounts WHERE NOT EXISTS (
      SELECT 1 FROM events WHERE type = 'account.created' AND subject = account_id)`,
  'an event without its account': `
    SELECT subject FROM events WHERE type = 'account.created' AND NOT EXISTS (
      SELECT 1 FROM accounts WHERE account_id = subject)`,
  'a link without its event': `
    SELECT link_id FROM links WHERE NOT EXISTS (
      SELECT 1 FROM events WHERE type = 'link.created' AND subject = link_id)`,
  'an event without its link': `
    SELECT subject FROM events WHERE type = 'link.created' AND NOT EXISTS (
      SELECT 1 FROM links WHERE link_id = subject)`,
  'a definition without its bundle': `
    SELECT definition_id FROM definitions WHERE NOT EXISTS (
      SELECT 1 FROM bundles WHERE sha256 = bundle_sha256)`,
}

/** Remains of partial transactions: none in a sound database. `select` resolves to the rows of a query. */
export async function findInconsistencies(
  select: (sql: string) => readonly unknown[] | Promise<readonly unknown[]>,
): Promise<string[]> {
  const found: string[] = []
  for (const [description, sql] of Object.entries(CONSISTENCY_QUERIES))
    for (const row of await select(sql)) found.push(`${description}: ${JSON.stringify(row)}`)
  return found
}

/** What must be true of events and the changes that they report, and of nothing else in a database of tests. */
export const EVENT_CONSISTENCY_QUERIES: Readonly<Record<string, string>> = {
  ...queriesOf('account.created', 'accounts', 'account_id', 'true'),
  ...queriesOf('account.updated', 'accounts', 'account_id', "name = 'renamed'"),
  ...queriesOf('link.created', 'links', 'link_id', 'true'),
  ...queriesOf('link.revoked', 'links', 'link_id', 'revoked_at is not null'),
  ...queriesOf('link.expired', 'links', 'link_id', 'expiry_recorded = 1'),
  ...queriesOf(
    'link.full',
    'links',
    'link_id',
    'max_accounts = (SELECT count(*) FROM accounts WHERE accounts.link_id = links.link_id)',
  ),
  'a hole in the numbers of events': `
    SELECT workspace_id FROM events WHERE sequence IS NOT NULL
    GROUP BY workspace_id HAVING max(sequence) <> count(*)`,
}

/** Finds changes without their event, events without their change, and events that exist twice. */
function queriesOf(type: string, table: string, id: string, hasChanged: string) {
  return {
    [`${type} without its event`]: `
      SELECT ${id} FROM ${table} WHERE ${hasChanged} AND NOT EXISTS (
        SELECT 1 FROM events WHERE type = '${type}' AND subject = ${id})`,
    [`an event ${type} without its change`]: `
      SELECT subject FROM events WHERE type = '${type}' AND NOT EXISTS (
        SELECT 1 FROM ${table} WHERE ${id} = subject AND ${hasChanged})`,
    [`two events ${type}`]: `
      SELECT subject FROM events WHERE type = '${type}' GROUP BY subject HAVING count(*) > 1`,
  }
}
