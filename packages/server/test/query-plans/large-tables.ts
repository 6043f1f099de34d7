/** Tables that grow with tenants, customers or requests, each with the sets of columns that select one row or a few. */
const LARGE_TABLES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  account_scopes: [],
  account_health: [],
  account_tokens: [],
  account_changes: [],
  account_tags: [['account_id', 'key']],
  accounts: [],
  agent_approvals: [],
  agent_sessions: [],
  sign_in_requests: [],
  mcp_tools: [],
  audit_chains: [['workspace_id']],
  audit_events: [['workspace_id', 'sequence']],
  // At most five of a workspace have no end.
  bulk_jobs: [['workspace_id', 'finished_at']],
  bulk_job_items: [],
  bundles: [],
  connect_failures: [['failure_key']],
  connect_attempts: [
    ['workspace_id', 'outcome'],
    ['workspace_id', 'at'],
  ],
  connect_sessions: [],
  deliveries: [['endpoint_id', 'event_id']],
  delivery_failures: [],
  debug_exchanges: [],
  definition_epochs: [['workspace_id']],
  definition_health: [['definition_id', 'workspace_id']],
  definition_icons: [['definition_id', 'workspace_id'], ['path']],
  definition_pins: [['definition_id', 'workspace_id']],
  definitions: [['definition_id']],
  erasures: [],
  events: [['workspace_id', 'sequence']],
  idempotency_keys: [['user_id']],
  previous_versions: [['definition_id', 'workspace_id']],
  link_counters: [],
  links: [],
  oauth_apps: [['definition_id', 'workspace_id']],
  oauth_sessions: [],
  previews: [['definition_id', 'workspace_id']],
  rate_usage: [['usage_key', 'minute']],
  request_log: [
    ['workspace_id', 'at'],
    ['workspace_id', 'kind'],
    ['workspace_id', 'failed'],
  ],
  rotations: [],
  statistics: [
    // One series, those of one code each, and those of one tool each.
    ['workspace_id', 'step', 'definition_id', 'code', 'metric', 'bucket'],
    // What a search for the next tool, or the next code, starts from.
    ['workspace_id', 'step', 'definition_id'],
    // What is too old.
    ['step', 'bucket'],
  ],
  token_leases: [],
  tokens: [],
  users: [['user_id']],
  submissions: [],
  // A workspace has at most 100.
  webhook_endpoints: [['endpoint_id'], ['workspace_id']],
  workspace_deletions: [['workspace_id']],
  workspace_keys: [['workspace_id']],
  workspaces: [['workspace_id']],
}

/** Columns that select a whole workspace, or a large part of it. */
const LOW_SELECTIVITY_COLUMNS: ReadonlySet<string> = new Set([
  'bucket',
  'created_at',
  'definition_id',
  'deleted_at',
  'endpoint_id',
  'expires_at',
  'finished_at',
  'key_id',
  'lease_until',
  'metric',
  'origin',
  'outcome',
  'refresh_at',
  'state',
  'status',
  'step',
  'user_id',
  'workspace_id',
])

/** Columns whose values any tenant or visitor chooses: they select a few rows only of one tenant or app. */
const CHOSEN_BY_ANYONE: ReadonlySet<string> = new Set(['account_identifier', 'identity_id'])
const SCOPES = ['workspace_id', 'oauth_app_id', 'definition_id']

/** Partial indexes of rows that wait for background work, searched by their time, and of rows that are few. */
const SMALL_INDEXES: ReadonlySet<string> = new Set([
  'accounts_awaiting_confirmation',
  'accounts_by_deleted_at',
  'erasures_running',
  'links_expiring',
  'links_revoked',
  'tokens_expiring',
  'tokens_revoked',
  'workspace_deletions_by_alive_until',
  'account_tokens_by_refresh_at',
  'connect_failures_by_time',
  'connect_sessions_ended',
  'connect_sessions_expiring',
  'connect_sessions_open',
  'definition_health_suspect',
  'definition_pins_with_update',
  'audit_chains_awaiting_checkpoint',
  'audit_events_unchained',
  'definitions_of_catalogue',
  'events_unnumbered',
  'idempotency_keys_by_expiry',
  'links_with_unrecorded_expiry',
  'oauth_sessions_awaiting_confirmation',
  'oauth_sessions_sealed',
  'rate_usage_by_minute',
  'webhook_endpoints_deleted',
  'webhook_endpoints_due',
  'tokens_live_from_environment',
  'tokens_with_unrecorded_expiry',
])

/** Whether a step that finds rows of the table by conditions on these columns may read a large part of it. */
export function isWalk(
  table: string,
  columns: readonly string[],
  index: string | undefined,
): boolean {
  if (index !== undefined && SMALL_INDEXES.has(index)) return false
  const keys = Object.hasOwn(LARGE_TABLES, table) ? LARGE_TABLES[table] : undefined
  if (keys === undefined) return false
  const hasScope = SCOPES.some((column) => columns.includes(column))
  const isSelective = columns.some(
    (column) => !LOW_SELECTIVITY_COLUMNS.has(column) && (hasScope || !CHOSEN_BY_ANYONE.has(column)),
  )
  return !isSelective && !keys.some((key) => key.every((column) => columns.includes(column)))
}
