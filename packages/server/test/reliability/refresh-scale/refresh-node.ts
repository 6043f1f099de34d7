import { setTimeout as sleep } from 'node:timers/promises'
import { createEgressGateway, createRunner, parseAllowList } from '@linchpin/runner'
import { createRefreshScheduler } from '../../../src/accounts/token-refresh/background/refresh-scheduler.ts'
import { createRefreshCache } from '../../../src/accounts/token-refresh/refresh-cache.ts'
import { createRefreshCounts } from '../../../src/accounts/token-refresh/refresh-counts.ts'
import { createRefreshStore } from '../../../src/accounts/token-refresh/refresh-store.ts'
import { TEST_KEYS } from '../../../src/accounts/token-refresh/test/refresh-test-context.ts'
import { createBundleStore } from '../../../src/definitions/bundle-store.ts'
import { createLog } from '../../../src/http/log.ts'
import { createOAuthAppStore } from '../../../src/oauth-apps/oauth-app-store.ts'
import { openDatabase } from '../../../src/storage/open-database.ts'
import { parseKeys } from '../../../src/vault/key-ring.ts'
import { createVault } from '../../../src/vault/vault.ts'

/** What the test passes as JSON. */
export interface RefreshNodeOptions {
  readonly url?: string | undefined
  readonly file?: string | undefined
  readonly concurrency: number
  readonly leaseMs: number
  readonly providerMs: number
}

/** A node that only refreshes tokens in the background. Rounds follow one another closely, so that tests need not wait. */
const options: RefreshNodeOptions = JSON.parse(process.argv[2] ?? '{}')
const now = Date.now
const database = await openDatabase(options)
const egressGateway = createEgressGateway({ allow: parseAllowList('127.0.0.0/8') })
const stopping = new AbortController()
const scheduler = createRefreshScheduler(
  {
    database,
    egressGateway,
    now,
    vault: createVault({ database, keys: parseKeys(TEST_KEYS), now }),
    runner: createRunner({ egressGateway, children: 1 }),
    log: createLog('silent'),
    bundles: createBundleStore(database),
    oauthApps: createOAuthAppStore(database),
    refreshStore: createRefreshStore(database, now),
    refreshCache: createRefreshCache(),
    refreshCounts: createRefreshCounts(),
    refreshTimeouts: {
      leaseMs: options.leaseMs,
      providerMs: options.providerMs,
      waitMs: options.leaseMs,
    },
  },
  options.concurrency,
)
process.on('SIGTERM', async () => {
  stopping.abort()
  await scheduler.finish()
  process.exit()
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
while (!stopping.signal.aborted) {
  // As in the loop: the next round tries again.
  await scheduler.runRound(stopping.signal).catch((error) => console.error(String(error)))
  await sleep(100)
}
