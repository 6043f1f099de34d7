import type { Database } from '../storage/database.ts'
import type { KeyRing, RingKey } from './key-ring.ts'
import { openBox, type SealContext, sealBox } from './sealed-box.ts'
import { VaultError } from './vault-error.ts'

/**
 * Verifies the key ring against the database and stores a check value for every new key. If verification fails, the
 * database is unchanged.
 *
 * @throws VaultError `wrong_key` for known ids with different bytes, `unknown_key` for missing keys
 */
export async function verifyKeys(
  database: Database,
  keys: KeyRing,
  now: () => number,
): Promise<void> {
  await assertNoneMissing(database, keys)
  const knownIds = await assertKeysMatch(database, keys)
  const newKeys = keys.filter(({ id }) => !knownIds.has(id))
  if (newKeys.length === 0) return
  const rows = newKeys.map((key) => ({
    key_id: key.id,
    sealed: sealBox(key.key, key.id, checkContext(key), Buffer.from(CHECK_TEXT)),
    created_at: now(),
  }))
  await database.transaction((trx) =>
    trx
      .insertInto('key_checks')
      .values(rows)
      .onConflict((conflict) => conflict.column('key_id').doNothing())
      .execute(),
  )
  // Re-check: another node may have stored a different key with the same id concurrently.
  await assertKeysMatch(database, keys)
}

const CHECK_TEXT = 'linchpin'

function checkContext({ id }: RingKey): SealContext {
  return { table: 'key_checks', column: 'sealed', workspaceId: '', rowId: id }
}

async function assertNoneMissing(database: Database, keys: KeyRing): Promise<void> {
  const ids = keys.map(({ id }) => id)
  const missing = await database.read
    .selectFrom('workspace_keys')
    .select('key_id')
    .distinct()
    .where('key_id', 'not in', ids)
    .orderBy('key_id')
    .execute()
  if (missing.length === 0) return
  const names = missing.map((row) => row.key_id).join(', ')
  throw new VaultError(
    'unknown_key',
    `The key ring lacks ${names}, which still protects secrets of this database. Add it to LINCHPIN_KEYS (it may be the last one) or restore the key file, and start again.`,
  )
}

/** Returns the ids of the keys that have a check value; throws if a key does not match its own. */
async function assertKeysMatch(database: Database, keys: KeyRing): Promise<Set<string>> {
  const ids = keys.map(({ id }) => id)
  const checks = await database.read
    .selectFrom('key_checks')
    .selectAll()
    .where('key_id', 'in', ids)
    .execute()
  const sealedBy = new Map(checks.map((check) => [check.key_id, check.sealed]))
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
