import { createEgressGateway, createRunner, parseAllowList } from '@linchpin/runner'
import type { AccountId } from '../../src/accounts/account.ts'
import { getValidCredentials } from '../../src/accounts/token-refresh/get-valid-credentials.ts'
import { createRefreshCache } from '../../src/accounts/token-refresh/refresh-cache.ts'
import { createRefreshCounts } from '../../src/accounts/token-refresh/refresh-counts.ts'
import { createRefreshStore } from '../../src/accounts/token-refresh/refresh-store.ts'
import { createBundleStore } from '../../src/definitions/bundle-store.ts'
import { createLog } from '../../src/http/log.ts'
import { createOAuthAppStore } from '../../src/oauth-apps/oauth-app-store.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import { parseKeys } from '../../src/vault/key-ring.ts'
import { createVault } from '../../src/vault/vault.ts'

/**
 * A process that only refreshes tokens, with short leases, so that tests need not stop it for long. Each message is an
 * account id; each reply is the access token or the code of the error.
 */
const [url = '', keys = ''] = process.argv.slice(2)
const now = Date.now
const database = await openDatabase({ url })
const egressGateway = createEgressGateway({ allow: parseAllowList('127.0.0.0/8') })
const deps = {
  database,
  egressGateway,
  now,
  vault: createVault({ database, keys: parseKeys(keys), now }),
  runner: createRunner({ egressGateway, children: 1 }),
  log: createLog('silent'),
  bundles: createBundleStore(database),
  oauthApps: createOAuthAppStore(database),
  refreshStore: createRefreshStore(database, now),
  refreshCache: createRefreshCache(),
  refreshCounts: createRefreshCounts(),
  refreshTimeouts: { leaseMs: 3_000, providerMs: 1_000, waitMs: 8_000 },
}
process.on('message', (accountId: AccountId) => {
  getValidCredentials(deps, accountId).then(
    ({ grant }) => process.send?.(grant.config.access_token),
    (error: { code?: string }) => process.send?.(error.code ?? String(error)),
  )
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
