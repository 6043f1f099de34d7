import { hash } from 'node:crypto'
import type { AccountRow } from '../../../storage/tables.ts'
import type { HeadersResult } from '../../verification/run-headers.ts'
import { bundleConfig, type Grant } from '../grant.ts'
import type { RefreshCache } from '../refresh-cache.ts'
import type { RefreshDeps } from '../refresh-deps.ts'

type CacheDeps = Pick<RefreshDeps, 'vault' | 'refreshCache'>

/** The encrypted value: `headers` is null if the bundle returned none, so that templates of the spec apply. */
interface StoredHeaders {
  readonly key: string
  readonly headers: HeadersResult['headers']
}

/**
 * Returns what HEADERS returned before for exactly this account, bundle and configuration, if it depended on nothing
 * else: then the bundle does not have to run again. Undefined if it has to.
 */
export async function deterministicHeaders(
  { vault, refreshCache: { deterministicHeaders: cache } }: CacheDeps,
  row: AccountRow,
  grant: Grant,
): Promise<Pick<StoredHeaders, 'headers'> | undefined> {
  const sealed = cache.get(row.account_id)
  if (sealed === undefined) return undefined
  const stored = JSON.parse(await vault.openText(encryptionContext(row), sealed)) as StoredHeaders
  if (stored.key !== cacheKey(row, grant)) return void cache.delete(row.account_id)
  return { headers: stored.headers }
}

/** Keeps the result of HEADERS in memory, encrypted, if it depends on nothing but its parameters. */
export async function storeDeterministicHeaders(
  { vault, refreshCache: { deterministicHeaders: cache } }: CacheDeps,
  row: AccountRow,
  grant: Grant,
  { isDeterministic, headers }: HeadersResult,
): Promise<void> {
  if (!isDeterministic) return
  const stored: StoredHeaders = { key: cacheKey(row, grant), headers }
  const sealed = await vault.seal(encryptionContext(row), JSON.stringify(stored))
  if (sealed.length <= MAX_BYTES) setBounded(cache, row.account_id, sealed)
}

function encryptionContext({ workspace_id, account_id }: AccountRow) {
  const column = 'deterministic_headers'
  return { table: 'accounts', column, workspaceId: workspace_id, rowId: account_id }
}

/** Changes with everything that HEADERS receives, and with the code. */
function cacheKey(row: AccountRow, grant: Grant): string {
  const { bundleSha256 } = grant
  const parts = [bundleSha256, row.auth_type, row.credential_version, bundleConfig(grant)]
  return hash('sha256', JSON.stringify(parts))
}

/** The oldest entry goes first. */
function setBounded(cache: RefreshCache['deterministicHeaders'], key: string, sealed: Uint8Array) {
  cache.delete(key)
  cache.set(key, sealed)
  const oldest = cache.size > MAX_ENTRIES ? cache.keys().next().value : undefined
  if (oldest !== undefined) cache.delete(oldest)
}

const MAX_ENTRIES = 10_000
const MAX_BYTES = 4_096
