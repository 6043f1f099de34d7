import type { KeyRing, RingKey } from './key-ring.ts'
import type { KeyStore } from './key-store.ts'
import { openBox, type SealContext, sealBox, VaultError } from './sealed-box.ts'

/**
 * Verifies the key ring against the database and stores a check value for every new key. If verification fails, the
 * database is unchanged.
 *
 * @throws VaultError `wrong_key` for known ids with different bytes, `unknown_key` for missing keys
 */
export async function verifyKeys(store: KeyStore, keys: KeyRing, now: () => number): Promise<void> {
  assertNoneMissing(await store.listKeyIds(), keys)
  const knownIds = await assertKeysMatch(store, keys)
  const newKeys = keys.filter(({ id }) => !knownIds.has(id))
  if (newKeys.length === 0) return
  const checks = newKeys.map((key) => ({
    keyId: key.id,
    sealed: sealBox(key.key, key.id, checkContext(key), Buffer.from(CHECK_TEXT)),
  }))
  await store.insertChecks(checks, now())
  // Re-check: another node may have stored a different key with the same id concurrently.
  await assertKeysMatch(store, keys)
}

/** Verifies the key ring against a database of an older schema, and stores nothing. @throws VaultError as `verifyKeys` */
export async function verifyKeysOfOlderSchema(store: KeyStore, keys: KeyRing): Promise<void> {
  assertNoneMissing(await store.listCurrentKeyIds(), keys)
  await assertKeysMatch(store, keys)
}

/**
 * Verifies that a key ring opens data from elsewhere.
 *
 * @param checks the check value of each key that the data needs, in base64; empty if there is none
 * @throws VaultError
 */
export function assertOpensData(keys: KeyRing, checks: Readonly<Record<string, string>>): void {
  const byId = new Map(keys.map((key) => [key.id, key]))
  for (const [id, check] of Object.entries(checks)) {
    const key = byId.get(id)
    if (key === undefined)
      throw new VaultError(
        'unknown_key',
        `The key ring lacks ${id}, which protects secrets of the export. Add it to LINCHPIN_KEYS.`,
      )
    if (check !== '' && !canOpen(key, Buffer.from(check, 'base64')))
      throw new VaultError(
        'wrong_key',
        `The key ring has different bytes for ${id} than the exported installation.`,
      )
  }
}

const CHECK_TEXT = 'linchpin'

function checkContext({ id }: RingKey): SealContext {
  return { table: 'key_checks', column: 'sealed', workspaceId: '', rowId: id }
}

function assertNoneMissing(neededIds: readonly string[], keys: KeyRing): void {
  const ids = new Set(keys.map(({ id }) => id))
  const missing = neededIds.filter((id) => !ids.has(id))
  if (missing.length === 0) return
  throw new VaultError(
    'unknown_key',
    `The key ring lacks ${missing.join(', ')}, which still protects secrets of this database. Add it to LINCHPIN_KEYS (it may be the last one) or restore the key file, and start again. If it is lost for good, stop every node and run \`linchpin keys forget ${missing[0]} --accept-loss\`.`,
  )
}

/** Returns the ids of the keys that have a check value; throws if a key does not match its own. */
async function assertKeysMatch(store: KeyStore, keys: KeyRing): Promise<Set<string>> {
  const checks = await store.listChecks(keys.map(({ id }) => id))
  const sealedBy = new Map(checks.map(({ keyId, sealed }) => [keyId, sealed]))
  const mismatched = keys.filter((key) => {
    const sealed = sealedBy.get(key.id)
    return sealed !== undefined && !canOpen(key, sealed)
  })
  if (mismatched.length === 0) return new Set(sealedBy.keys())
  throw new VaultError(
    'wrong_key',
    `The key ring has different bytes for ${mismatched.map(({ id }) => id).join(', ')} than those used with this database. Restore the original key under this id, or give a new key a new id.`,
  )
}

function canOpen(key: RingKey, sealed: Uint8Array): boolean {
  try {
    return Buffer.from(openBox(key.key, checkContext(key), sealed)).toString() === CHECK_TEXT
  } catch (error) {
    if (error instanceof VaultError) return false
    throw error
  }
}
