/** Queries for remains of a partial transaction: each must find no rows. For both dialects. */
export const CONSISTENCY_QUERIES: Readonly<Record<string, string>> = {
  'an account without its audit event': `
    SELECT account_id FROM accounts WHERE NOT EXISTS (
      SELECT 1 FROM audit_events WHERE action = 'account.created' AND subject = account_id)`,
  'an audit event without its account': `
    SELECT subject FROM audit_events WHERE action = 'account.created' AND NOT EXISTS (
      SELECT 1 FROM accounts WHERE account_id = subject)`,
  // A link id is a capability, so the audit trail has only its first letters: compare counts.
  'links or their audit events without the other': `
    SELECT links.count AS links, events.count AS events
    FROM (SELECT count(*) AS count FROM links) links,
      (SELECT count(*) AS count FROM audit_events WHERE action = 'link.created') events
    WHERE links.count <> events.count`,
  'a definition without its bundle': `
    SELECT definition_id FROM definitions WHERE NOT EXISTS (
      SELECT 1 FROM bundles WHERE sha256 = bundle_sha256)`,
}
