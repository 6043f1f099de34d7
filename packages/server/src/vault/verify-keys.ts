import type { Database } from '../storage/database.ts'
import type { KeyRing, RingKey } from './key-ring.ts'
import { openBox, type SealContext, sealBox } from './sealed-box.ts'
import { VaultError } from './vault-error.ts'

/**
 * Proves the key ring against the database, and leaves a check for every new key. Where it refuses, the
 * database stays as it was.
 * @throws {VaultError} `wrong_key` for known ids with other bytes, `unknown_key` for missing ones
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
  // Another node may have brought other bytes under the same id at the same moment.
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
    `The key ring lacks ${names}, which still protects secrets of this database. Add it to LINCHPIN_KEYS (it may stand last), or put the key file back, and start again.`,
  )
}

/** The ids of the checks that the keys have passed. */
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
    `The key ring has other bytes for ${mismatched.map(({ id }) => id).join(', ')} than this database was used with. Put the right key back under this id; give a new key a new id.`,
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
