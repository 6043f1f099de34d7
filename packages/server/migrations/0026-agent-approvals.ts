import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What agents ask people for, and the scope for it in the tokens of owners. Nodes of 0001 go on: they reject the tokens of agents. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? 'text collate "C"' : 'text'
  const integer = isPostgres ? 'bigint' : 'integer'
  const bytes = isPostgres ? 'bytea' : 'blob'
  const statements = [
    `create table agent_approvals (
      agent_approval_id ${text} not null primary key,
      agent_session_id ${text} not null,
      workspace_id ${text} not null,
      account_id ${text} not null,
      request_hash ${bytes} not null,
      method ${text} not null,
      host ${text} not null,
      path ${text} not null,
      sealed_request ${bytes} not null,
      status ${text} not null,
      decided_by ${text},
      decided_at ${integer},
      created_at ${integer} not null,
      expires_at ${integer} not null
    )`,
    'create index agent_approvals_by_workspace on agent_approvals (workspace_id, created_at, agent_approval_id)',
    'create index agent_approvals_by_status on agent_approvals (workspace_id, status, created_at, agent_approval_id)',
    'create index agent_approvals_by_end on agent_approvals (workspace_id, status, expires_at, agent_approval_id)',
    'create index agent_approvals_by_request on agent_approvals (agent_session_id, request_hash, created_at)',
    'create index agent_approvals_by_account on agent_approvals (account_id)',
    'create index agent_approvals_by_expiry on agent_approvals (expires_at)',
    `create table sign_in_requests (
      sign_in_request_id ${text} not null primary key,
      workspace_id ${text} not null,
      agent_session_id ${text} not null,
      purpose ${text} not null,
      subject ${text} not null,
      expected_identifier ${text} not null,
      browser_hash ${bytes},
      code_hash ${bytes},
      code_expires_at ${integer},
      is_customer ${integer} not null,
      connect_session_id ${text},
      status ${text} not null,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )`,
    'create index sign_in_requests_by_subject on sign_in_requests (agent_session_id, subject, created_at)',
    'create index sign_in_requests_by_workspace on sign_in_requests (workspace_id, expected_identifier, sign_in_request_id)',
    'create index sign_in_requests_by_expiry on sign_in_requests (expires_at)',
    `alter table agent_sessions add column approver ${text}`,
    `alter table agent_sessions add column may_connect ${integer}`,
    `update tokens set scopes = scopes || ' agents:approve'
      where origin in ('owner', 'environment') and revoked_at is null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
