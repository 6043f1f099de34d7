import type { Kysely } from 'kysely'
import { coversWorkspace, getTenant, type WorkspaceAccess } from '../../access/auth/caller.ts'
import { isOwnedWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Definition, DefinitionId } from '../../integrations/definitions/definition.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import type { Database, Param } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { parseList } from './account-scopes-store.ts'

/** What accounts were granted. */
export interface GrantCount {
  readonly authType: string
  readonly oauthAppId: OAuthAppId | null
  readonly granted: readonly string[]
  readonly count: number
}

interface CountParams {
  readonly userId: UserId
  readonly workspaceId: WorkspaceId
  readonly definitionId: DefinitionId
}

export type GrantCountStore = ReturnType<typeof createGrantCountStore>

/** Counts what live accounts of a definition were granted. */
export function createGrantCountStore(database: Database) {
  const prepared = database.prepare(selectGrants)
  return {
    /**
     * The grants that are known: the 1,000 most frequent ones, of at most 100,000 accounts, in a workspace that the caller can
     * access.
     */
    async count(
      access: WorkspaceAccess,
      { workspaceId, definitionId }: Pick<Definition, 'workspaceId' | 'definitionId'>,
    ): Promise<GrantCount[]> {
      if (!coversWorkspace(access, workspaceId)) return []
      const { userId } = access
      const params = { userId, workspaceId, definitionId }
      const rows = await prepared.allLong(getTenant(access), params)
      return rows.map((row) => ({
        authType: row.auth_type,
        oauthAppId: row.oauth_app_id,
        granted: parseList(row.granted_scopes) ?? [],
        count: Number(row.count),
      }))
    },
  }
}

function selectGrants(db: Kysely<Tables>, param: Param<CountParams>) {
  const accounts = db
    .selectFrom('accounts')
    .select(['workspace_id', 'account_id', 'auth_type', 'oauth_app_id'])
    .where('workspace_id', '=', param('workspaceId'))
    .where('definition_id', '=', param('definitionId'))
    .where('deleted_at', 'is', null)
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .limit(MAX_COUNTED)
  // One by one: joined, the database would read all states of the workspace.
  const grants = db
    .selectFrom(accounts.as('counted'))
    .select(['counted.auth_type', 'counted.oauth_app_id'])
    .select((eb) =>
      eb
        .selectFrom('account_tokens')
        .select('granted_scopes')
        .whereRef('account_tokens.workspace_id', '=', 'counted.workspace_id')
        .whereRef('account_tokens.account_id', '=', 'counted.account_id')
        .where('account_tokens.scope_source', 'is not', null)
        .as('granted_scopes'),
    )
  return db
    .selectFrom(grants.as('grants'))
    .select(['auth_type', 'oauth_app_id', 'granted_scopes'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('granted_scopes', 'is not', null)
    .groupBy(['auth_type', 'oauth_app_id', 'granted_scopes'])
    .orderBy('count', 'desc')
    .limit(1_000)
}

const MAX_COUNTED = 100_000
