import type { WorkspaceAccess } from '../auth/caller.ts'
import { isAccessibleWorkspace } from '../auth/workspace-access-store.ts'
import { CONNECT_SESSION_CHECKSUM } from '../connect-sessions/connect-session-row-store.ts'
import { LINK_CHECKSUM } from '../links/link-row-store.ts'
import type { Database } from '../storage/database.ts'
import type { Customer } from './erasure.ts'
import type { TextScrubber } from './scrub-text.ts'

/** Reads rows that belong to no account and mention a customer, in pages, without secrets. */
export function createMentionStore({ read }: Pick<Database, 'read'>) {
  return {
    /** OAuth sessions of the workspace, of which the caller exports those that `isOfCustomer`. */
    async listSessions(
      access: WorkspaceAccess,
      { workspaceId, identifier }: Customer,
      scrubber: TextScrubber,
      after: string,
    ): Promise<ExportedPage> {
      const rows = await read
        .selectFrom('oauth_attempts')
        .select(['attempt_id as id', 'definition_id', 'link_id', 'account_id', 'auth_type', 'name'])
        .select(['account_identifier', 'redirect_url', 'created_at', 'finished_at', 'outcome'])
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('attempt_id', '>', after as 'att_')
        .orderBy('attempt_id')
        .limit(PAGE)
        .execute()
      return toPage(rows, (row) =>
        row.account_identifier === identifier || scrubber.isNamedIn(row.redirect_url)
          ? {
              ...{ oauthSessionId: row.id, integrationDefinitionId: row.definition_id },
              ...{ linkId: row.link_id, integrationAccountId: row.account_id },
              ...{ authType: row.auth_type, integrationAccountName: row.name },
              ...{ accountIdentifier: row.account_identifier, redirectURL: row.redirect_url },
              ...{ createdAt: toIso(row.created_at), outcome: row.outcome },
              finishedAt: row.finished_at === null ? null : toIso(row.finished_at),
            }
          : undefined,
      )
    },

    /** Submissions of the connect page that name the customer. */
    async listSubmissions(
      access: WorkspaceAccess,
      { workspaceId }: Customer,
      scrubber: TextScrubber,
      after: string,
    ): Promise<ExportedPage> {
      const rows = await read
        .selectFrom('visit_attempts')
        .select(['attempt_id as id', 'link_id', 'definition_id', 'auth_type', 'kind', 'state'])
        .select(['return_query', 'code', 'field', 'hint', 'account_id', 'created_at'])
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('attempt_id', '>', after)
        .orderBy('attempt_id')
        .limit(PAGE)
        .execute()
      return toPage(rows, (row) =>
        [row.return_query, row.field, row.hint].some(scrubber.isNamedIn)
          ? {
              ...{ linkId: row.link_id, integrationDefinitionId: row.definition_id },
              ...{ authType: row.auth_type, kind: row.kind, state: row.state, code: row.code },
              ...{ field: row.field, hint: row.hint, query: row.return_query },
              ...{ integrationAccountId: row.account_id, createdAt: toIso(row.created_at) },
            }
          : undefined,
      )
    },

    /** Connect sessions of the customer, or that name it. */
    async listConnectSessions(
      access: WorkspaceAccess,
      { workspaceId, identifier }: Customer,
      scrubber: TextScrubber,
      after: string,
    ): Promise<ExportedPage> {
      const rows = await read
        .selectFrom('connect_sessions')
        .selectAll()
        .select(CONNECT_SESSION_CHECKSUM.column)
        .select('connect_session_id as id')
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('connect_session_id', '>', after as 'cns_')
        .orderBy('connect_session_id')
        .limit(PAGE)
        .execute()
      for (const row of rows) CONNECT_SESSION_CHECKSUM.verify(row, { workspace_id: workspaceId })
      return toPage(rows, (row) =>
        row.account_identifier === identifier ||
        [row.redirect_url, row.config_fields, row.tags].some(scrubber.isNamedIn)
          ? {
              ...{ connectSessionId: row.id, linkId: row.link_id, mode: row.mode },
              ...{ accountIdentifier: row.account_identifier, redirectURL: row.redirect_url },
              ...{ configFields: parse(row.config_fields), tags: parse(row.tags), lang: row.lang },
              ...{ integrationAccountIds: parse(row.account_ids), lastCode: row.last_code },
              ...{ createdAt: toIso(row.created_at), expiresAt: toIso(row.expires_at) },
              openedAt: row.opened_at === null ? null : toIso(row.opened_at),
              completedAt: row.completed_at === null ? null : toIso(row.completed_at),
            }
          : undefined,
      )
    },

    /** Links that name the customer. */
    async listLinks(
      access: WorkspaceAccess,
      { workspaceId }: Customer,
      scrubber: TextScrubber,
      after: string,
    ): Promise<ExportedPage> {
      const rows = await read
        .selectFrom('links')
        .selectAll()
        .select(LINK_CHECKSUM.column)
        .select('link_id as id')
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('link_id', '>', after as 'lnk_')
        .orderBy('link_id')
        .limit(PAGE)
        .execute()
      for (const row of rows) LINK_CHECKSUM.verify(row)
      return toPage(rows, (row) =>
        [row.name, row.redirect_urls, row.allowed_origins].some(scrubber.isNamedIn)
          ? {
              ...{ linkId: row.id, linkName: row.name, createdAt: toIso(row.created_at) },
              ...{ redirectURLs: parse(row.redirect_urls) },
              allowedOrigins: parse(row.allowed_origins),
            }
          : undefined,
      )
    },
  }
}

/** Rows of a page that concern the customer, and where the next page continues; undefined after the last one. */
export interface ExportedPage {
  readonly values: readonly Readonly<Record<string, unknown>>[]
  readonly next: string | undefined
}

/** Rows per query: memory stays bounded, and no transaction stays open. */
const PAGE = 100

function toPage<R extends { readonly id: string }>(
  rows: readonly R[],
  serialize: (row: R) => Readonly<Record<string, unknown>> | undefined,
): ExportedPage {
  const next = rows.length === PAGE ? rows.at(-1)?.id : undefined
  return { values: rows.map(serialize).filter((value) => value !== undefined), next }
}

const parse = (json: string): unknown => JSON.parse(json)
const toIso = (at: number) => new Date(Number(at)).toISOString()
