import { createEgressGateway, parseAllowList } from '@linchpin/runner'
import type { TestApp } from '../../../../test/test-app.ts'
import { createRefreshStore } from '../../../accounts/accounts/token-refresh/refresh-store.ts'
import { createOAuthAppStore } from '../../../integrations/oauth-apps/oauth-app-store.ts'
import { createLog } from '../../../platform/http/log.ts'
import type { AttemptCounter } from '../../../platform/record/attempt.ts'
import { parseKeys } from '../../../platform/vault/key-ring.ts'
import { createVault } from '../../../platform/vault/vault.ts'
import { cleanUpOAuth } from '../clean-up-oauth.ts'
import { createConfirmationStore } from '../confirmation-store.ts'
import { createOAuthSessionStore } from '../oauth-session-store.ts'

/** Runs one background sweep as another process would, at the given time. */
export async function sweep(
  { database }: TestApp,
  now: () => number,
  attemptCounts: AttemptCounter = { add: () => {} },
): Promise<void> {
  const egressGateway = createEgressGateway({ allow: parseAllowList('127.0.0.0/8') })
  const keys = parseKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
  try {
    await cleanUpOAuth({
      database,
      egressGateway,
      attemptCounts,
      now,
      vault: createVault({ database, keys, now }),
      log: createLog('silent'),
      oauthApps: createOAuthAppStore(database),
      refreshStore: createRefreshStore(database, now),
      oauthSessions: createOAuthSessionStore(database),
      confirmations: createConfirmationStore(database),
    })
  } finally {
    await egressGateway.close()
  }
}
