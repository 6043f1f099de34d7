import { STORED_ACCOUNT, STORED_TOKEN_STATE } from '../../../accounts/accounts/account.ts'
import { STORED_HEALTH } from '../../../accounts/accounts/account-health.ts'
import { ACCOUNT_SCOPE } from '../../../accounts/accounts/account-scopes-store.ts'
import { AGENT_APPROVAL } from '../../../accounts/agents/agent-approval.ts'
import { AGENT_SESSION } from '../../../accounts/agents/agent-session.ts'
import { OAUTH_SERVER_RECORD } from '../../../accounts/agents/oauth-server-record.ts'
import { SIGN_IN_REQUEST } from '../../../accounts/agents/sign-in-request.ts'
import { MCP_TOOL } from '../../../accounts/mcp-client/mcp-tool.ts'
import { DELIVERY, DELIVERY_FAILURE } from '../../../activity/webhooks/delivery.ts'
import { WEBHOOK_ENDPOINT } from '../../../activity/webhooks/webhook-endpoint.ts'
import { SUBMISSION } from '../../../connect/attempts/submission.ts'
import { CONNECT_SESSION } from '../../../connect/connect-sessions/connect-session.ts'
import { LINK } from '../../../connect/links/link.ts'
import { OAUTH_SESSION } from '../../../connect/oauth-flow/session/oauth-session.ts'
import { OAUTH_APP } from '../../../integrations/oauth-apps/oauth-app.ts'
import type { ColumnKind } from '../../../platform/storage/define-resource.ts'

/** The columns of an entry of the audit trail, chained or not. */
const AUDIT_ENTRY: Readonly<Record<string, ColumnKind>> = {
  ...none(
    'event_id',
    'at',
    'workspace_id',
    'user_id',
    'token_id',
    'action',
    'subject',
    'request_id',
    'actor_kind',
    'via',
    'outcome',
  ),
  detail: 'scrubbed',
  ip: 'scrubbed',
}

/** What an erasure does to each column. A new one needs a row, and `scrubbed` and `deleted` ones must be filled by the test. */
export const COLUMNS: Readonly<Record<string, Readonly<Record<string, ColumnKind>>>> = {
  account_changes: {
    ...none('workspace_id', 'account_id', 'change_id', 'at', 'action', 'status', 'reason', 'cause'),
  },
  account_scopes: ACCOUNT_SCOPE.kinds,
  account_health: {
    ...none('account_id', 'workspace_id', 'definition_id'),
    ...STORED_HEALTH.kinds,
  },
  account_tags: {
    ...none('workspace_id', 'account_id', 'created_at', 'updated_at'),
    key: 'deleted',
    value: 'deleted',
  },
  account_tokens: { ...none('workspace_id', 'account_id'), ...STORED_TOKEN_STATE.kinds },
  accounts: STORED_ACCOUNT.kinds,
  audit_chains: {
    ...none(
      'workspace_id',
      'last',
      'last_hash',
      'oldest',
      'base_hash',
      'checkpoint_sequence',
      'checkpoint_at',
    ),
  },
  audit_events: {
    ...AUDIT_ENTRY,
    ...none(
      'subject_type',
      'hash',
      'ip_salt',
      'ip_digest',
      'detail_salt',
      'detail_digest',
      'sequence',
    ),
  },
  audit_inbox: { ...AUDIT_ENTRY, position: 'none' },
  console_sessions: {
    ...none(
      'session_id',
      'secret_hash',
      'user_id',
      'workspace_id',
      'method',
      'created_at',
      'last_seen_at',
      'idle_ends_at',
      'ends_at',
      'elevated_until',
      'ended_at',
    ),
    // Of people of the team, who are no customers.
    user_agent: 'operator',
    ip: 'operator',
  },
  members: {
    ...none(
      'member_id',
      'workspace_id',
      'user_id',
      'role',
      'extra_scopes',
      'token_id',
      'root_token_id',
      'invitation_hash',
      'invited_until',
      'created_at',
      'updated_at',
      'accepted_at',
      'ended_at',
    ),
    email: 'operator',
    email_key: 'operator',
  },
  session_tokens: none('token_id', 'session_id', 'user_id'),
  verified_emails: none('user_id', 'verified_at'),
  sign_in_claims: {
    ...none('claim_hash', 'kind', 'user_id', 'created_at', 'expires_at', 'used_at'),
    data: 'operator',
  },
  passkeys: {
    ...none(
      'passkey_id',
      'user_id',
      'public_key',
      'counter',
      'transports',
      'created_at',
      'last_used_at',
    ),
    // Of people of the team, who are no customers.
    credential_id: 'operator',
    name: 'operator',
  },
  bundles: {
    ...none('sha256', 'size', 'created_at'),
    code: 'operator',
  },
  catalogue_versions: {
    ...none('definition_id', 'version', 'bundle_sha256'),
    source_url: 'operator',
  },
  bulk_jobs: {
    ...none(
      'bulk_job_id',
      'workspace_id',
      'action',
      'alive_until',
      'user_id',
      'person_id',
      'token_id',
      'via',
      'request_id',
      'created_at',
      'finished_at',
    ),
  },
  bulk_job_items: {
    ...none(
      'bulk_job_id',
      'position',
      'workspace_id',
      'account_id',
      'definition_id',
      'outcome',
      'code',
      'url_until',
    ),
    sealed_url: 'sealed',
  },
  request_log: {
    ...none(
      'request_log_id',
      'at',
      'workspace_id',
      'kind',
      'operation',
      'method',
      'status',
      'status_class',
      'failed',
      'code',
      'duration_ms',
      'request_id',
      'account_id',
      'definition_id',
      'token_id',
      'user_id',
      'via',
      'represents',
    ),
    host: 'deleted',
    path: 'deleted',
  },
  debug_windows: none('account_id', 'workspace_id', 'opened_at', 'ends_at', 'exchanges'),
  debug_exchanges: {
    ...none('request_log_id', 'at', 'workspace_id', 'account_id'),
    sealed: 'sealed',
  },
  connect_attempts: {
    ...none(
      'attempt_id',
      'at',
      'workspace_id',
      'definition_id',
      'auth_type',
      'via',
      'outcome',
      'code',
      'provider_status',
      'provider_request_id',
      'request_id',
      'account_id',
      'link_id',
      'connect_session_id',
    ),
    account_identifier: 'deleted',
  },
  agent_sessions: AGENT_SESSION.kinds,
  agent_approvals: AGENT_APPROVAL.kinds,
  oauth_server_records: OAUTH_SERVER_RECORD.kinds,
  sign_in_requests: SIGN_IN_REQUEST.kinds,
  mcp_tools: MCP_TOOL.kinds,
  connect_sessions: CONNECT_SESSION.kinds,
  connect_failures: {
    ...none('failure_key', 'at'),
  },
  definition_epochs: none('workspace_id', 'epoch'),
  definition_health: none(
    'definition_id',
    'workspace_id',
    'suspect_since',
    'suspects',
    'trusted_at',
    'next_probe_at',
    'next_check_at',
    'paused_until',
  ),
  definition_icons: {
    ...none('definition_id', 'workspace_id', 'path', 'media_type', 'updated_at'),
    content: 'operator',
  },
  definition_pins: {
    ...none(
      'definition_id',
      'workspace_id',
      'version',
      'bundle_sha256',
      'updated_at',
      'update_due',
    ),
    source_url: 'operator',
    spec: 'operator',
  },
  definitions: {
    ...none(
      'definition_id',
      'workspace_id',
      'version',
      'release_stage',
      'bundle_sha256',
      'created_at',
      'updated_at',
      'deleted_at',
      'latest_version',
    ),
    key: 'operator',
    name: 'operator',
    icon: 'operator',
    type_key: 'operator',
    type_name: 'operator',
    source_url: 'operator',
    spec: 'operator',
    latest_source_url: 'operator',
  },
  deliveries: DELIVERY.kinds,
  delivery_failures: DELIVERY_FAILURE.kinds,
  erasures: {
    ...none('erasure_id', 'workspace_id', 'counts', 'alive_until', 'created_at', 'finished_at'),
    identifier_hash: 'hash',
    sealed_identifier: 'sealed',
  },
  event_sequences: {
    ...none('workspace_id', 'last', 'oldest'),
  },
  events: {
    ...none(
      'position',
      'workspace_id',
      'event_id',
      'type',
      'version',
      'at',
      'subject',
      'cause',
      'sequence',
    ),
    account_identifier: 'scrubbed',
    data: 'scrubbed',
  },
  idempotency_keys: {
    ...none(
      'user_id',
      'bound_workspace_id',
      'operation',
      'scopes',
      'state',
      'claim_owner',
      'claim_until',
      'expires_at',
      'workspace_id',
      'resource',
      'status',
      'response_bytes',
    ),
    key_hash: 'hash',
    fingerprint: 'hash',
    sealed_response: 'sealed',
  },
  instance_keys: {
    ...none('name', 'public_key', 'created_at'),
    sealed: 'sealed',
  },
  previous_versions: {
    ...none('definition_id', 'workspace_id', 'position', 'version', 'bundle_sha256', 'used_until'),
    source_url: 'operator',
    spec: 'operator',
  },
  key_checks: {
    ...none('key_id', 'created_at'),
    sealed: 'sealed',
  },
  link_aliases: {
    ...none('alias', 'workspace_id', 'link_id', 'created_at'),
  },
  // Neither accounts nor customers are in them.
  statistics: {
    ...none('workspace_id', 'step', 'definition_id', 'code', 'metric', 'bucket', 'count', 'sum'),
  },
  link_counters: {
    ...none('link_id', 'name', 'count'),
  },
  links: LINK.kinds,
  oauth_apps: OAUTH_APP.kinds,
  oauth_sessions: OAUTH_SESSION.kinds,
  previews: {
    ...none(
      'preview_id',
      'workspace_id',
      'definition_id',
      'bundle_sha256',
      'state',
      'alive_until',
      'created_at',
      'expires_at',
    ),
    result: 'deleted',
  },
  // Deleted within minutes.
  rate_usage: {
    ...none('usage_key', 'minute', 'node_id', 'count'),
  },
  registries: {
    ...none('etag', 'fetched_at', 'next_at'),
    url: 'operator',
    document: 'operator',
  },
  rotations: {
    ...none('workspace_id', 'expires_at'),
    rotation_id: 'hash',
    sealed: 'sealed',
  },
  token_leases: {
    ...none('workspace_id', 'lease_owner', 'lease_until'),
    rotation_id: 'hash',
  },
  tokens: {
    ...none(
      'token_id',
      'user_id',
      'workspace_id',
      'parent_token_id',
      'scopes',
      'origin',
      'created_at',
      'expires_at',
      'revoked_at',
      'last_used_at',
      'expiry_recorded',
      'reads_per_minute',
      'writes_per_minute',
      'account_ids',
    ),
    token_hash: 'hash',
    name: 'operator',
  },
  users: {
    ...none('user_id', 'created_at', 'updated_at'),
    email: 'operator',
    email_key: 'operator',
    firstname: 'operator',
    lastname: 'operator',
  },
  submissions: SUBMISSION.kinds,
  webhook_endpoints: WEBHOOK_ENDPOINT.kinds,
  workspace_deletions: {
    ...none('workspace_id', 'alive_until', 'created_at', 'finished_at'),
  },
  workspace_keys: {
    ...none('workspace_id', 'key_id', 'data_key', 'previous_key_id', 'created_at', 'updated_at'),
    wrapped_key: 'sealed',
    previous_wrapped_key: 'sealed',
  },
  workspaces: {
    ...none(
      'workspace_id',
      'user_id',
      'initial_setup_complete',
      'anonymous_data_collection',
      'created_at',
      'updated_at',
      'deleted_at',
    ),
    slug: 'operator',
    name: 'operator',
    settings: 'operator',
  },
}

function none(...columns: readonly string[]): Record<string, ColumnKind> {
  return Object.fromEntries(columns.map((column) => [column, 'none' as const]))
}
