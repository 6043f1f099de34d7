import { createEgressGateway, createRunner, parseAllowList } from '@linchpin/runner'
import {
  createRefreshCache,
  createRefreshCounts,
  type RefreshDeps,
  type RefreshTimeouts,
} from '../../src/accounts/accounts/token-refresh/refresh-deps.ts'
import { createRefreshStore } from '../../src/accounts/accounts/token-refresh/refresh-store.ts'
import { createBundleStore } from '../../src/integrations/definitions/bundle-store.ts'
import { createOAuthAppStore } from '../../src/integrations/oauth-apps/oauth-app-store.ts'
import { createLog } from '../../src/platform/http/log.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import { parseKeys } from '../../src/platform/vault/key-ring.ts'
import { createVault } from '../../src/platform/vault/vault.ts'

/** What a process needs that only refreshes tokens, at providers on this machine. */
export function createRefreshProcessDeps(
  database: Database,
  keys: string,
  refreshTimeouts: RefreshTimeouts,
): RefreshDeps {
  const now = Date.now
  const egressGateway = createEgressGateway({ allow: parseAllowList('127.0.0.0/8') })
  return {
    database,
    egressGateway,
    now,
    refreshTimeouts,
    vault: createVault({ database, keys: parseKeys(keys), now }),
    runner: createRunner({ egressGateway, children: 1 }),
    log: createLog('silent'),
    bundles: createBundleStore(database),
    oauthApps: createOAuthAppStore(database),
    refreshStore: createRefreshStore(database, now),
    refreshCache: createRefreshCache(),
    refreshCounts: createRefreshCounts(),
  }
}
