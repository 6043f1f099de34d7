import type { Caller } from '../../access/auth/caller.ts'
import type { Definition } from '../../integrations/definitions/definition.ts'
import { listOAuthTypes } from '../../integrations/oauth/spec/parse-oauth-type.ts'
import { getRequestedScopes, isUnnamed, NO_SCOPES } from '../../integrations/oauth/spec/scopes.ts'
import type { OAuthAppStore } from '../../integrations/oauth-apps/oauth-app-store.ts'
import { selectOAuthApp } from '../../integrations/oauth-apps/select-oauth-app.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { GrantCountStore } from '../accounts/grant-count-store.ts'

export interface CountMissingScopesDeps {
  readonly database: Pick<Database, 'read'>
  readonly oauthApps: Pick<OAuthAppStore, 'listCandidatesInWorkspace'>
  readonly grantCounts: GrantCountStore
}

/**
 * How many live accounts of a workspace lack each scope that a sign-in with this version of their definition requests. Accounts of
 * which it is unknown what was granted do not count.
 */
export async function countMissingScopes(
  { database: { read }, oauthApps, grantCounts }: CountMissingScopesDeps,
  caller: Caller,
  { spec, workspaceId, definitionId }: Pick<Definition, 'spec' | 'workspaceId' | 'definitionId'>,
): Promise<Record<string, number>> {
  const types = new Map(listOAuthTypes(spec).map(({ authType, type }) => [authType, type]))
  if (types.size === 0) return {}
  const ids = { workspaceId, definitionId }
  // A customer's own app counts as the default app: there may be very many.
  const apps = await oauthApps.listCandidatesInWorkspace(read, ids, null)
  const counts = new Map<string, number>()
  for (const grant of await grantCounts.count(caller, ids)) {
    const { authType, granted, count, oauthAppId } = grant
    const type = types.get(authType)
    if (type === undefined) continue
    const app = selectOAuthApp(apps, { accountAppId: oauthAppId })
    const names = new Set(granted)
    for (const scope of getRequestedScopes(type, app ?? NO_SCOPES))
      if (!isUnnamed(scope) && !names.has(scope))
        counts.set(scope, (counts.get(scope) ?? 0) + count)
  }
  return Object.fromEntries([...counts].sort())
}
