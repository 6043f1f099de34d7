import { createGate, parseAllowList } from '@linchpin/runner'
import type { TestApp } from '../../../test/test-app.ts'
import { createRenewalStore } from '../../account/renewal/lease/renewal-store.ts'
import { createLog } from '../../http/log.ts'
import { createOAuthAppStore } from '../../oauth-app/oauth-app-store.ts'
import { parseKeys } from '../../vault/key-ring.ts'
import { createVault } from '../../vault/vault.ts'
import { sweepOAuth } from '../abandon/sweep-oauth.ts'
import { createAttemptStore } from '../attempt/attempt-store.ts'
import { createPendingAccountStore } from '../attempt/pending-account-store.ts'

/** One round of the background, of another process at this time. */
export async function sweep({ database }: TestApp, now: () => number): Promise<void> {
  const gate = createGate({ allow: parseAllowList('127.0.0.0/8') })
  const keys = parseKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
  try {
    await sweepOAuth({
      database,
      gate,
      now,
      vault: createVault({ database, keys, now }),
      log: createLog('silent'),
      oauthApps: createOAuthAppStore(database),
      renewals: createRenewalStore(database, now),
      attempts: createAttemptStore(database),
      pendingAccounts: createPendingAccountStore(),
    })
  } finally {
    await gate.close()
  }
}
