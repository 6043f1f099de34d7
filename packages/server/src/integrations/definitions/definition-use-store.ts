import type { Kysely } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { DefinitionId } from './definition.ts'

/** Something that prevents the deletion of a definition. */
export type DefinitionUse = 'accounts' | 'oauth_app' | 'oauth_session'

/** Finds what uses a definition in the workspaces that the caller can access: live accounts, an OAuth app, or OAuth sessions in progress. */
export async function findDefinitionUse(
  db: Kysely<Tables>,
  access: WorkspaceAccess,
  definitionId: DefinitionId,
  now: number,
): Promise<DefinitionUse | undefined> {
  const account = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('definition_id', '=', definitionId)
    .where(isInAccessibleWorkspace(access, 'accounts'))
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (account !== undefined) return 'accounts'
  const app = await db
    .selectFrom('oauth_apps')
    .select('oauth_app_id')
    .where('definition_id', '=', definitionId)
    .where(isInAccessibleWorkspace(access, 'oauth_apps'))
    .limit(1)
    .executeTakeFirst()
  if (app !== undefined) return 'oauth_app'
  const session = await db
    .selectFrom('oauth_sessions')
    .select('attempt_id')
    .where('definition_id', '=', definitionId)
    .where(isInAccessibleWorkspace(access, 'oauth_sessions'))
    .where('finished_at', 'is', null)
    .where('expires_at', '>', now)
    .limit(1)
    .executeTakeFirst()
  return session && 'oauth_session'
}
