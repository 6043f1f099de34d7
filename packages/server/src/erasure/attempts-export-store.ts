import type { WorkspaceAccess } from '../auth/caller.ts'
import { isAccessibleWorkspace } from '../auth/workspace-access-store.ts'
import type { Database } from '../storage/database.ts'
import type { Customer } from './erasure.ts'
import type { ExportedPage } from './mention-store.ts'

/** Reads a customer's attempts to connect, in pages. */
export function createAttemptsExportStore({ read }: Pick<Database, 'read'>) {
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
      return {
        values: rows.map((row) => ({
          ...{ attemptId: row.attempt_id, at: toIso(row.at), via: row.via, outcome: row.outcome },
          ...{ integrationDefinitionId: row.definition_id, authType: row.auth_type },
          ...{ code: row.code, providerStatus: row.provider_status, requestId: row.request_id },
          providerRequestId: row.provider_request_id,
          ...{ integrationAccountId: row.account_id, linkId: row.link_id },
          connectSessionId: row.connect_session_id,
        })),
        next: last && `${last.at} ${last.attempt_id}`,
      }
    },
  }
}

const PAGE = 100

const toIso = (at: number) => new Date(Number(at)).toISOString()
