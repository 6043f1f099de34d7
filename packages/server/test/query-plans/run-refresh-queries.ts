import {
  createClaimStore,
  createRefreshBacklogReader,
} from '../../src/accounts/accounts/token-refresh/background/claim-store.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import type { FilledRows } from './fill-database.ts'

/** Late enough for all accounts to be due. */
const NOW = 1_900_000_000_000

/** The queries of the background refresh. */
export async function queryTokenRefresh({
  database,
  accountId,
  workspaceId,
}: FilledRows & { readonly database: Database }): Promise<void> {
  const claims = createClaimStore(database, () => NOW)
  const hosts = [{ host: 'a.example', workspaceId: null }]
  await createRefreshBacklogReader(
    database,
    () => NOW,
    () => ({ hosts, until: 0 }),
  )()
  const host = 'login.example.com:443'
  const skipped = [{ host, workspaceId }]
  await claims.findStart(0, skipped)
  await claims.claim('a node', 1_000, 16, 0, [])
  await claims.claim('a node', 1_000, 16, 0, skipped)
  await claims.release([{ accountId, workspaceId, owner: 'a node', host }])
}
