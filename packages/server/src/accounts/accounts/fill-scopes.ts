import { parseOAuthType } from '../../integrations/oauth/spec/parse-oauth-type.ts'
import {
  createGrant,
  parseScopes,
  type ScopeGrant,
  UNKNOWN_GRANT,
} from '../../integrations/oauth/spec/scopes.ts'
import type { Log } from '../../platform/http/log.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { fillGrant, findUnreadScopes, type UnreadScopes } from './account-scopes-store.ts'
import { decryptConfig } from './credentials/account-config.ts'
import type { RefreshStore } from './token-refresh/refresh-store.ts'

export interface FillScopesDeps {
  readonly database: Database
  readonly vault: Vault
  readonly refreshStore: Pick<RefreshStore, 'findDefinition'>
  readonly log: Log
  readonly now: () => number
}

/**
 * Stores the grants of accounts that an earlier version has connected: what the last token response said, from their configurations.
 * Returns how many accounts it has read, at most `limit`. For background work, on behalf of no caller.
 */
export async function fillScopes(deps: FillScopesDeps, limit: number): Promise<number> {
  const accounts = await findUnreadScopes(deps.database.read, limit)
  for (const account of accounts) {
    const grant = await readStoredGrant(deps, account).catch((error: unknown) => {
      const { accountId, workspaceId } = account
      deps.log.warn(
        { err: error, accountId, workspaceId },
        'the scopes of an account are unreadable',
      )
      return UNKNOWN_GRANT
    })
    await fillGrant(deps, account, grant)
  }
  return accounts.length
}

async function readStoredGrant(deps: FillScopesDeps, account: UnreadScopes): Promise<ScopeGrant> {
  const { sealedConfig, oauthAppId, authType, requested, isReported } = account
  if (sealedConfig === null || oauthAppId === null) return UNKNOWN_GRANT
  const found = await deps.refreshStore.findDefinition(account)
  const type = found && parseOAuthType(found.definition.spec, authType)
  if (type === undefined) return UNKNOWN_GRANT
  if (requested !== null && !isReported) return createGrant(requested, undefined)
  const { scope } = await decryptConfig(deps.vault, account, sealedConfig)
  const granted = typeof scope === 'string' ? parseScopes(scope, type) : null
  if (granted === null || !isReported) return { requested: null, granted, source: 'unknown' }
  return { ...createGrant(requested ?? [], granted, type), requested }
}
