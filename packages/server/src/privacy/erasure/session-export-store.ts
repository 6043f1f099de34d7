import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Customer } from './erasure.ts'
import { isSubmissionOf } from './submission-owner.ts'

/** Rows of a page that are the customer's, and where the next page continues; undefined after the last one. */
export interface ExportedPage {
  readonly values: readonly Readonly<Record<string, unknown>>[]
  readonly next: string | undefined
}

/** Reads how a customer connected accounts: attempts, sessions and submissions, in pages, without secrets. */
export function createSessionExportStore({ read }: Pick<Database, 'read'>) {
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
        .where((eb) => eb(eb.refTuple('at', 'attempt_id'), '>', eb.tuple(Number(at), id as 'cna_')))
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
        .where((eb) =>
          eb(
            eb.refTuple('created_at', 'connect_session_id'),
            '>',
            eb.tuple(Number(createdAt), id as 'cns_'),
          ),
        )
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

/** Rows per query: memory stays bounded, and no transaction stays open. */
const PAGE = 100

function getNext(rows: readonly { readonly id: string }[]): string | undefined {
  return rows.length === PAGE ? rows.at(-1)?.id : undefined
}

const toIso = (at: number) => new Date(Number(at)).toISOString()
