import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../storage/database.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables, WorkspaceKeyRow } from '../storage/tables.ts'
import type { KeyRing } from './key-ring.ts'
import { openBox, type SealContext, sealBox } from './sealed-box.ts'
import { VaultError } from './vault-error.ts'

/** The data keys of workspaces, each wrapped by a key of the key ring. */
export interface DataKeys {
  /** Creates the data key of a workspace in the transaction that creates the workspace. */
  create(trx: Kysely<Tables>, workspaceId: string): Promise<void>
  /** The data key of a workspace. @throws VaultError if there is none or it cannot be unwrapped */
  get(workspaceId: string): Promise<KeyObject>
}

/** Caches the 1,000 most recently used keys in memory. */
export function createDataKeys(database: Database, keys: KeyRing, now: () => number): DataKeys {
  const cache = new Map<string, Promise<KeyObject>>()
  const find = database.prepare((db, param: Param<{ workspaceId: string }>) =>
    db.selectFrom('workspace_keys').selectAll().where('workspace_id', '=', param('workspaceId')),
  )

  async function load(workspaceId: string): Promise<KeyObject> {
    const row = await find.first({ workspaceId })
    if (row === undefined) {
      throw new VaultError('unknown_key', `Workspace ${workspaceId} has no data key`)
    }
    return createSecretKey(unwrapKey(keys, row))
  }

  return {
    create: async (trx, workspaceId) => {
      const wrapped = wrapKey(keys, workspaceId, randomBytes(32))
      const at = now()
      const row = { workspace_id: workspaceId, ...wrapped, created_at: at, updated_at: at }
      await trx.insertInto('workspace_keys').values(row).execute()
    },
    get: (workspaceId) => {
      const key = cache.get(workspaceId) ?? load(workspaceId)
      cache.delete(workspaceId)
      cache.set(workspaceId, key)
      key.catch(() => cache.get(workspaceId) === key && cache.delete(workspaceId))
      const oldest = cache.keys().next()
      if (cache.size > MAX_CACHED && !oldest.done) cache.delete(oldest.value)
      return key
    },
  }
}

/** Wraps a data key under the first key of the key ring. */
export function wrapKey(keys: KeyRing, workspaceId: string, dataKey: Uint8Array) {
  const [{ id, key }] = keys
  return { key_id: id, wrapped_key: sealBox(key, id, createKeyContext(workspaceId), dataKey) }
}

/** Unwraps a data key. @throws VaultError */
export function unwrapKey(
  keys: KeyRing,
  row: Pick<WorkspaceKeyRow, 'workspace_id' | 'key_id' | 'wrapped_key'>,
): Uint8Array {
  const ringKey = keys.find(({ id }) => id === row.key_id)
  if (ringKey === undefined) {
    throw new VaultError('unknown_key', `The key ring has no key ${row.key_id}`)
  }
  return openBox(ringKey.key, createKeyContext(row.workspace_id), row.wrapped_key)
}

const MAX_CACHED = 1000

function createKeyContext(workspaceId: string): SealContext {
  return { table: 'workspace_keys', column: 'wrapped_key', workspaceId, rowId: workspaceId }
}
