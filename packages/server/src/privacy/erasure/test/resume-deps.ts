import { sharedRunner } from '../../../../test/shared-runner.ts'
import type { TestApp } from '../../../../test/test-app.ts'
import {
  createRefreshCache,
  createRefreshCounts,
} from '../../../accounts/accounts/token-refresh/refresh-deps.ts'
import { createRefreshStore } from '../../../accounts/accounts/token-refresh/refresh-store.ts'
import { createBundleStore } from '../../../integrations/definitions/bundle-store.ts'
import { createOAuthAppStore } from '../../../integrations/oauth-apps/oauth-app-store.ts'
import { createLog } from '../../../platform/http/log.ts'
import { parseKeys } from '../../../platform/vault/key-ring.ts'
import { createVault } from '../../../platform/vault/vault.ts'
import { createCustomerAccountStore } from '../customer-accounts-store.ts'
import { createErasureStore } from '../erasure-store.ts'
import type { ResumeErasuresDeps } from '../resume-erasures.ts'
import { createWorkspaceDeletionStore } from '../workspace-deletion-store.ts'

/** What another process on the same database uses to continue erasures. */
export function createResumeDeps({ database }: TestApp): ResumeErasuresDeps {
  const keys = parseKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
  const now = Date.now
  return {
    ...sharedRunner(),
    database,
    now,
    vault: createVault({ database, keys, now }),
    log: createLog('silent'),
    bundles: createBundleStore(database),
    oauthApps: createOAuthAppStore(database),
    refreshStore: createRefreshStore(database, now),
    refreshCache: createRefreshCache(),
    refreshCounts: createRefreshCounts(),
    erasures: createErasureStore(database),
    customerAccounts: createCustomerAccountStore(database),
    workspaceDeletions: createWorkspaceDeletionStore(database),
  }
}
