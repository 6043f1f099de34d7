import { setTimeout as sleep } from 'node:timers/promises'
import { createRefreshScheduler } from '../../../src/accounts/accounts/token-refresh/background/refresh-scheduler.ts'
import { TEST_KEYS } from '../../../src/accounts/accounts/token-refresh/test/refresh-test-context.ts'
import { openDatabase } from '../../../src/platform/storage/open-database.ts'
import { createRefreshProcessDeps } from '../refresh-process-deps.ts'

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
const { leaseMs, providerMs } = options
const timeouts = { leaseMs, providerMs, waitMs: leaseMs }
const stopping = new AbortController()
const scheduler = createRefreshScheduler(
  createRefreshProcessDeps(await openDatabase(options), TEST_KEYS, timeouts),
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
