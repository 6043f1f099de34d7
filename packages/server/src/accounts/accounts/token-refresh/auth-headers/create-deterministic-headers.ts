import { hash } from 'node:crypto'
import { VaultError } from '../../../../platform/vault/sealed-box.ts'
import type { Account } from '../../account.ts'
import type { HeadersResult } from '../../verification/run-headers.ts'
import { createBundleConfig, type Grant } from '../grant.ts'
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
export async function createDeterministicHeaders(
  { vault, refreshCache: { deterministicHeaders: cache } }: CacheDeps,
  row: Account,
  grant: Grant,
): Promise<Pick<StoredHeaders, 'headers'> | undefined> {
  const sealed = cache.get(row.accountId)
  if (sealed === undefined) return undefined
  const stored = await openStored(vault, row, sealed)
  if (stored?.key !== cacheKey(row, grant)) return void cache.delete(row.accountId)
  return { headers: stored.headers }
}

/** Undefined if its data key is gone: `keys rekey` seals what is stored again, and not what is in the memory of nodes. */
async function openStored(
  vault: RefreshDeps['vault'],
  row: Account,
  sealed: Uint8Array,
): Promise<StoredHeaders | undefined> {
  try {
    return JSON.parse(await vault.openText(createEncryptionContext(row), sealed)) as StoredHeaders
  } catch (error) {
    if (error instanceof VaultError) return undefined
    throw error
  }
}

/** Keeps the result of HEADERS in memory, encrypted, if it depends on nothing but its parameters. */
export async function storeDeterministicHeaders(
  { vault, refreshCache: { deterministicHeaders: cache } }: CacheDeps,
  row: Account,
  grant: Grant,
  { isDeterministic, headers }: HeadersResult,
): Promise<void> {
  if (!isDeterministic) return
  const stored: StoredHeaders = { key: cacheKey(row, grant), headers }
  const sealed = await vault.seal(createEncryptionContext(row), JSON.stringify(stored))
  if (sealed.length <= MAX_BYTES) setBounded(cache, row.accountId, sealed)
}

function createEncryptionContext({ workspaceId, accountId }: Account) {
  const column = 'deterministic_headers'
  return { table: 'accounts', column, workspaceId, rowId: accountId }
}

/** Changes with everything that HEADERS receives, and with the code. */
function cacheKey(row: Account, grant: Grant): string {
  const { bundleSha256 } = grant
  const parts = [bundleSha256, row.authType, row.credentialVersion, createBundleConfig(grant)]
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
