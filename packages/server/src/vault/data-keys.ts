import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Database, Transaction } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { KeyRing } from './key-ring.ts'
import type { KeyStore, WrappedDataKey } from './key-store.ts'
import { openBox, type SealContext, sealBox, VaultError } from './sealed-box.ts'

/** The data keys of workspaces, each wrapped by a key of the key ring. */
export interface DataKeys {
  /** Creates the data key of a workspace in the transaction that creates the workspace. */
  create(trx: Transaction, workspaceId: Id<'wsp'>): Promise<void>
  /** The data key of a workspace. @throws VaultError if there is none or it cannot be unwrapped */
  get(workspaceId: Id<'wsp'>): Promise<KeyObject>
  /** Deletes the data key of a workspace in a transaction, and from the memory of this process. */
  destroy(trx: Transaction, workspaceId: Id<'wsp'>): Promise<void>
}

/** Caches the 1,000 most recently used keys in memory. */
export function createDataKeys(store: KeyStore, keys: KeyRing, now: () => number): DataKeys {
  const cache = new Map<string, Promise<KeyObject>>()

  async function load(workspaceId: Id<'wsp'>): Promise<KeyObject> {
    const stored = await store.find(workspaceId)
    if (stored === undefined) {
      throw new VaultError('unknown_key', `Workspace ${workspaceId} has no data key`)
    }
    return createSecretKey(unwrapKey(keys, stored))
  }

  return {
    create: (trx, workspaceId) =>
      store.insert(trx, wrapKey(keys, workspaceId, randomBytes(32)), now()),
    get: (workspaceId) => {
      const key = cache.get(workspaceId) ?? load(workspaceId)
      cache.delete(workspaceId)
      cache.set(workspaceId, key)
      key.catch(() => cache.get(workspaceId) === key && cache.delete(workspaceId))
      const oldest = cache.keys().next()
      if (cache.size > MAX_CACHED && !oldest.done) cache.delete(oldest.value)
      return key
    },
    destroy: async (trx, workspaceId) => {
      await store.delete(trx, workspaceId)
      cache.delete(workspaceId)
    },
  }
}

const MAX_CACHED = 1000

/** Options of a key rotation. */
export interface RotateOptions {
  /** Workspaces per transaction. Default 100. */
  batchSize?: number
  /** Called after each committed batch with the number of workspaces done so far. */
  onBatch?: (done: number) => void
}

/**
 * Rewraps every data key with the first key of the key ring, in batches. Encrypted secrets do not change and stay
 * readable throughout. An interrupted rotation continues where it stopped.
 *
 * @returns the number of workspaces it changed
 */
export async function rotateKeys(
  { database, store, keys }: { database: Database; store: KeyStore; keys: KeyRing },
  now: () => number,
  { batchSize = 100, onBatch }: RotateOptions = {},
): Promise<number> {
  const rotateBatch = async (trx: Transaction): Promise<number> => {
    const previousKeys = await store.listWrappedByOthers(trx, keys[0].id, batchSize)
    for (const previous of previousKeys) {
      const rewrapped = wrapKey(keys, previous.workspaceId, unwrapKey(keys, previous))
      await store.replace(trx, previous, rewrapped, now())
    }
    return previousKeys.length
  }
  for (let done = 0; ; ) {
    const count = await database.transaction(rotateBatch)
    if (count === 0) return done
    done += count
    onBatch?.(done)
  }
}

/** Wraps a data key under the first key of the key ring. */
function wrapKey(keys: KeyRing, workspaceId: Id<'wsp'>, dataKey: Uint8Array): WrappedDataKey {
  const [{ id, key }] = keys
  return {
    workspaceId,
    keyId: id,
    wrapped: sealBox(key, id, createKeyContext(workspaceId), dataKey),
  }
}

/** Unwraps a data key. @throws VaultError */
function unwrapKey(keys: KeyRing, { workspaceId, keyId, wrapped }: WrappedDataKey): Uint8Array {
  const ringKey = keys.find(({ id }) => id === keyId)
  if (ringKey === undefined) {
    throw new VaultError('unknown_key', `The key ring has no key ${keyId}`)
  }
  return openBox(ringKey.key, createKeyContext(workspaceId), wrapped)
}

function createKeyContext(workspaceId: Id<'wsp'>): SealContext {
  return { table: 'workspace_keys', column: 'wrapped_key', workspaceId, rowId: workspaceId }
}
