import { sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId, PublicAccount } from '../../accounts/accounts/account.ts'
import {
  PUBLIC_ACCOUNT_COLUMNS,
  toPublicAccount,
} from '../../accounts/accounts/account-row-store.ts'
import { AGENT_SESSION } from '../../accounts/agents/agent-session.ts'
import { OAUTH_APP } from '../../integrations/oauth-apps/oauth-app.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isAfter } from '../../platform/storage/portable-sql.ts'
import { type Customer, isSubmissionOf } from './erasure.ts'

/** An account of an export. */
export interface ExportedAccount {
  readonly account: PublicAccount
  /** The provider's id of the user who connected. */
  readonly identityId: string | null
  readonly identityLabel: string | null
  /** Epoch milliseconds. */
  readonly lastUsedAt: number | null
}

/** A row of an export, and its position among those of its kind. */
export interface ExportedRow {
  readonly position: string | number
  readonly value: Readonly<Record<string, unknown>>
}

/** Reads what is stored about a customer, in pages, without secrets. */
export function createExportStore(database: Database) {
  const { read } = database
  const select = (access: WorkspaceAccess, workspaceId: WorkspaceId) => ({
    accounts: (isLive: boolean) =>
      read
        .selectFrom('accounts')
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('deleted_at', isLive ? 'is' : 'is not', null),
    events: () =>
      read
        .selectFrom('events')
        .select(['event_id', 'type', 'at', 'subject', 'cause', 'data', 'sequence'])
        .select('account_identifier')
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId)),
  })
  return {
    /** Accounts after `after`, in the order of their ids. */
    async listAccounts(
      access: WorkspaceAccess,
      { workspaceId, identifier }: Customer,
      isLive: boolean,
      after: { readonly createdAt: number; readonly id: string },
    ): Promise<ExportedAccount[]> {
      const ofCustomer = select(access, workspaceId)
        .accounts(isLive)
        .select(PUBLIC_ACCOUNT_COLUMNS)
        .select(['identity_id', 'identity_label', 'last_used_at'])
        .where('account_identifier', '=', identifier)
        .limit(PAGE)
      const page = isLive
        ? ofCustomer.where(isAfter(['created_at', 'account_id'], after)).orderBy('created_at')
        : ofCustomer.where('account_id', '>', after.id as AccountId)
      const rows = await page.orderBy('account_id').execute()
      return rows.map((row) => ({
        account: toPublicAccount(row),
        identityId: row.identity_id,
        identityLabel: row.identity_label,
        lastUsedAt: row.last_used_at,
      }))
    },

    /** The history of an account: at most 200 entries. */
    async listChanges(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      accountId: AccountId,
    ): Promise<ExportedRow[]> {
      const rows = await read
        .selectFrom('account_changes')
        .select(['change_id', 'at', 'action', 'status', 'reason', 'cause'])
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('account_id', '=', accountId)
        .orderBy('change_id')
        .execute()
      return rows.map(({ change_id, at, cause, ...others }) => ({
        position: change_id,
        value: { integrationAccountId: accountId, at: toIso(at), ...others, cause: parse(cause) },
      }))
    },

    /** Events of an account; without one, those that have the identifier and belong to no account with it. */
    async listEvents(
      access: WorkspaceAccess,
      { workspaceId, identifier }: Customer,
      accountId: AccountId | undefined,
      after: number,
    ): Promise<ExportedRow[]> {
      const events = select(access, workspaceId).events()
      const wanted =
        accountId === undefined
          ? events
              .where('account_identifier', '=', identifier)
              .where((eb) =>
                eb.not(
                  eb.exists(
                    eb
                      .selectFrom('accounts')
                      .select('accounts.account_id')
                      .whereRef('accounts.account_id', '=', 'events.subject')
                      .where('accounts.account_identifier', '=', identifier),
                  ),
                ),
              )
          : events.where('subject', '=', accountId)
      const rows = await wanted
        .where('sequence', '>', after)
        .orderBy('sequence')
        .limit(PAGE)
        .execute()
      return rows.map((row) => ({
        position: Number(row.sequence),
        value: {
          id: row.event_id,
          type: row.type,
          timestamp: toIso(row.at),
          subject: row.subject,
          sequence: Number(row.sequence),
          accountIdentifier: row.account_identifier,
          cause: parse(row.cause),
          data: parse(row.data),
        },
      }))
    },

    /** Requests for an account. */
    async listRequests(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      accountId: AccountId,
      after: { readonly at: number; readonly id: string },
    ): Promise<(ExportedRow & { readonly at: number; readonly id: string })[]> {
      const rows = await read
        .selectFrom('request_log')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('account_id', '=', accountId)
        .where(isAfter(['at', 'request_log_id'], { createdAt: after.at, id: after.id }))
        .orderBy('at')
        .orderBy('request_log_id')
        .limit(PAGE)
        .execute()
      return rows.map((row) => ({
        position: row.request_log_id,
        at: Number(row.at),
        id: row.request_log_id,
        value: {
          requestLogId: row.request_log_id,
          at: toIso(row.at),
          kind: row.kind,
          operation: row.operation,
          method: row.method,
          host: row.host,
          path: row.path,
          status: row.status,
          code: row.code,
          durationMs: Number(row.duration_ms),
          requestId: row.request_id,
          integrationAccountId: accountId,
          tokenId: row.token_id,
          represents: Number(row.represents),
        },
      }))
    },

    /** What bulk jobs of the last week did with an account. */
    async listBulkResults(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      accountId: AccountId,
    ): Promise<ExportedRow[]> {
      const rows = await read
        .selectFrom('bulk_job_items')
        .innerJoin('bulk_jobs', 'bulk_jobs.bulk_job_id', 'bulk_job_items.bulk_job_id')
        .select(['bulk_jobs.bulk_job_id', 'action', 'outcome', 'code', 'created_at'])
        .where('bulk_job_items.workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('account_id', '=', accountId)
        .execute()
      return rows.map(({ bulk_job_id, created_at, action, outcome, code }) => ({
        position: bulk_job_id,
        value: {
          bulkJobId: bulk_job_id,
          at: toIso(created_at),
          integrationAccountId: accountId,
          action,
          outcome,
          code,
        },
      }))
    },

    /** Audit entries about an account. */
    async listAuditEvents(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      accountId: AccountId,
      after: { readonly at: number; readonly id: string },
    ): Promise<(ExportedRow & { readonly at: number; readonly id: string })[]> {
      const rows = await selectAuditEntries(read)
        .select(['event_id', 'at', 'action', 'subject', 'detail', 'user_id', 'token_id'])
        .select(['request_id', 'actor_kind', 'via', 'ip', 'outcome'])
        .where('workspace_id', '=', workspaceId)
        // Not a join: SQLite would read all workspaces of the user.
        .where(sql<boolean>`(${isAccessibleWorkspace(access, workspaceId)}) is true`)
        .where('subject', '=', accountId)
        .where('at', '>=', after.at)
        .where((eb) => eb.or([eb('at', '>', after.at), eb('event_id', '>', after.id as 'aud_')]))
        .orderBy('at')
        .orderBy('event_id')
        .limit(PAGE)
        .execute()
      return rows.map((row) => ({
        position: row.event_id,
        at: Number(row.at),
        id: row.event_id,
        value: {
          auditEventId: row.event_id,
          at: toIso(row.at),
          action: row.action,
          subject: row.subject,
          detail: parse(row.detail),
          userId: row.user_id,
          tokenId: row.token_id,
          requestId: row.request_id,
          kind: row.actor_kind,
          via: row.via,
          ip: row.ip,
          outcome: row.outcome,
        },
      }))
    },
    ...createSessionExportStore(database),
  }
}

export type ExportStore = ReturnType<typeof createExportStore>

/** Rows per query: memory stays bounded, and no transaction stays open. */
export const PAGE = 100

const parse = (json: string): unknown => JSON.parse(json)
const toIso = (at: number) => new Date(Number(at)).toISOString()

/** Rows of a page that are the customer's, and where the next page continues; undefined after the last one. */
export interface ExportedPage {
  readonly values: readonly Readonly<Record<string, unknown>>[]
  readonly next: string | undefined
}

/** Reads how a customer connected accounts: attempts, sessions and submissions, in pages, without secrets. */
function createSessionExportStore({ read }: Pick<Database, 'read'>) {
  return {
    /** Attempts to connect an account for the customer. */
    async listAttempts(
      access: WorkspaceAccess,
      { workspaceId, identifier }: Customer,
      after: string,
    ): Promise<ExportedPage> {
      const [at = 0, id = ''] = after === '' ? [] : after.split(' ')
      const rows = await read
        .selectFrom('connect_attempts')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('account_identifier', '=', identifier)
        .where(isAfter(['at', 'attempt_id'], { createdAt: Number(at), id }))
        .orderBy('at')
        .orderBy('attempt_id')
        .limit(PAGE)
        .execute()
      const last = rows.length === PAGE ? rows.at(-1) : undefined
      const values = rows.map((row) => ({
        attemptId: row.attempt_id,
        at: toIso(row.at),
        via: row.via,
        outcome: row.outcome,
        integrationDefinitionId: row.definition_id,
        authType: row.auth_type,
        code: row.code,
        providerStatus: row.provider_status,
        requestId: row.request_id,
        providerRequestId: row.provider_request_id,
        integrationAccountId: row.account_id,
        linkId: row.link_id,
        connectSessionId: row.connect_session_id,
      }))
      return { values, next: last && `${last.at} ${last.attempt_id}` }
    },

    /** OAuth sessions of the customer. */
    async listOAuthSessions(
      access: WorkspaceAccess,
      { workspaceId, identifier }: Customer,
      after: string,
    ): Promise<ExportedPage> {
      const rows = await read
        .selectFrom('oauth_sessions')
        .select(['attempt_id as id', 'definition_id', 'link_id', 'account_id', 'auth_type', 'name'])
        .select(['account_identifier', 'redirect_url', 'created_at', 'finished_at', 'outcome'])
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('attempt_id', '>', after as 'att_')
        .orderBy('attempt_id')
        .limit(PAGE)
        .execute()
      const own = rows.filter((row) => row.account_identifier === identifier)
      const values = own.map((row) => ({
        oauthSessionId: row.id,
        integrationDefinitionId: row.definition_id,
        linkId: row.link_id,
        integrationAccountId: row.account_id,
        authType: row.auth_type,
        integrationAccountName: row.name,
        accountIdentifier: row.account_identifier,
        redirectURL: row.redirect_url,
        createdAt: toIso(row.created_at),
        outcome: row.outcome,
        finishedAt: row.finished_at === null ? null : toIso(row.finished_at),
      }))
      return { values, next: getNext(rows) }
    },

    /** Submissions of the connect page: those of the customer's connect sessions, and those of pages with its identifier. */
    async listSubmissions(
      access: WorkspaceAccess,
      customer: Customer,
      after: string,
    ): Promise<ExportedPage> {
      const { workspaceId, identifier } = customer
      const rows = await read
        .selectFrom('submissions')
        .leftJoin(
          'connect_sessions',
          'connect_sessions.connect_session_id',
          'submissions.connect_session_id',
        )
        .select(['attempt_id as id', 'submissions.link_id', 'definition_id', 'auth_type'])
        .select(['kind', 'state', 'return_query', 'code', 'field', 'hint'])
        .select(['submissions.account_id', 'submissions.created_at'])
        .select(['submissions.connect_session_id', 'connect_sessions.account_identifier'])
        .where('submissions.workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('attempt_id', '>', after)
        .orderBy('attempt_id')
        .limit(PAGE)
        .execute()
      const own = rows.filter(
        (row) => row.account_identifier === identifier || isSubmissionOf(row, customer),
      )
      const values = own.map((row) => ({
        linkId: row.link_id,
        connectSessionId: row.connect_session_id,
        integrationDefinitionId: row.definition_id,
        authType: row.auth_type,
        kind: row.kind,
        state: row.state,
        code: row.code,
        field: row.field,
        hint: row.hint,
        query: row.return_query,
        integrationAccountId: row.account_id,
        createdAt: toIso(row.created_at),
      }))
      return { values, next: getNext(rows) }
    },

    /** The own OAuth apps of the customer, one for each definition, without their secrets. */
    async listOAuthApps(
      access: WorkspaceAccess,
      { workspaceId, identifier }: Customer,
    ): Promise<Readonly<Record<string, unknown>>[]> {
      const rows = await read
        .selectFrom('oauth_apps')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('account_identifier', '=', identifier)
        .execute()
      return rows.map((row) => OAUTH_APP.serialize(OAUTH_APP.fromRow(row)))
    },

    /** Agent sessions of the customer. */
    async listAgentSessions(
      access: WorkspaceAccess,
      { workspaceId, identifier }: Customer,
      after: string,
    ): Promise<ExportedPage> {
      const rows = await read
        .selectFrom('agent_sessions')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('account_identifier', '=', identifier)
        .where('agent_session_id', '>', after as 'ags_')
        .orderBy('agent_session_id')
        .limit(PAGE)
        .execute()
      const last = rows.length === PAGE ? rows.at(-1) : undefined
      const values = rows.map((row) => AGENT_SESSION.serialize(AGENT_SESSION.fromRow(row)))
      return { values, next: last?.agent_session_id }
    },

    /** Connect sessions of the customer. */
    async listConnectSessions(
      access: WorkspaceAccess,
      { workspaceId, identifier }: Customer,
      after: string,
    ): Promise<ExportedPage> {
      const [createdAt = 0, id = ''] = after === '' ? [] : after.split(' ')
      const rows = await read
        .selectFrom('connect_sessions')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('account_identifier', '=', identifier)
        .where(isAfter(['created_at', 'connect_session_id'], { createdAt: Number(createdAt), id }))
        .orderBy('created_at')
        .orderBy('connect_session_id')
        .limit(PAGE)
        .execute()
      const last = rows.length === PAGE ? rows.at(-1) : undefined
      const values = rows.map((row) => ({
        connectSessionId: row.connect_session_id,
        linkId: row.link_id,
        mode: row.mode,
        accountIdentifier: row.account_identifier,
        redirectURL: row.redirect_url,
        configFields: JSON.parse(row.config_fields),
        tags: JSON.parse(row.tags),
        lang: row.lang,
        integrationAccountIds: JSON.parse(row.account_ids),
        lastCode: row.last_code,
        createdAt: toIso(row.created_at),
        expiresAt: toIso(row.expires_at),
        openedAt: row.opened_at === null ? null : toIso(row.opened_at),
        completedAt: row.completed_at === null ? null : toIso(row.completed_at),
      }))
      return { values, next: last && `${last.created_at} ${last.connect_session_id}` }
    },
  }
}

function getNext(rows: readonly { readonly id: string }[]): string | undefined {
  return rows.length === PAGE ? rows.at(-1)?.id : undefined
}
