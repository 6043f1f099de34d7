import type { Database } from '../storage/database.ts'
import type { KeyRing, RingKey } from './key-ring.ts'
import { openBox, type Place, sealBox } from './sealed-box.ts'
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
  await refuseMissing(database, keys)
  const known = await refuseWrong(database, keys)
  const fresh = keys.filter(({ id }) => !known.has(id))
  if (fresh.length === 0) return
  const rows = fresh.map((key) => ({
    key_id: key.id,
    sealed: sealBox(key.key, key.id, placeOf(key), Buffer.from(CHECK)),
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
  await refuseWrong(database, keys)
}

const CHECK = 'linchpin'

function placeOf({ id }: RingKey): Place {
  return { table: 'key_checks', column: 'sealed', workspaceId: '', rowId: id }
}

async function refuseMissing(database: Database, keys: KeyRing): Promise<void> {
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
async function refuseWrong(database: Database, keys: KeyRing): Promise<Set<string>> {
  const ids = keys.map(({ id }) => id)
  const checks = await database.read
    .selectFrom('key_checks')
    .selectAll()
    .where('key_id', 'in', ids)
    .execute()
  const sealedBy = new Map(checks.map((check) => [check.key_id, check.sealed]))
  const wrong = keys.filter((key) => {
    const sealed = sealedBy.get(key.id)
    return sealed !== undefined && !opens(key, sealed)
  })
  if (wrong.length === 0) return new Set(sealedBy.keys())
  throw new VaultError(
    'wrong_key',
    `The key ring has other bytes for ${wrong.map(({ id }) => id).join(', ')} than this database was used with. Put the right key back under this id; give a new key a new id.`,
  )
}

function opens(key: RingKey, sealed: Uint8Array): boolean {
  try {
    return Buffer.from(openBox(key.key, placeOf(key), sealed)).toString() === CHECK
  } catch (error) {
    if (error instanceof VaultError) return false
    throw error
  }
}
