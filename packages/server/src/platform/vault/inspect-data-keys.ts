import type { Database } from '../storage/database.ts'
import { unwrapDataKeys } from './data-keys.ts'
import type { KeyRing } from './key-ring.ts'
import { createKeyStore, readBatches } from './key-store.ts'
import { VaultError } from './sealed-box.ts'

/** A key of the key ring, or one that it lacks, and the data keys that it wraps. */
export interface KeyUse {
  readonly keyId: string
  readonly isInRing: boolean
  readonly dataKeys: number
  /** Those of them that cannot be opened. */
  readonly unreadable: number
}

/** What opening every data key showed. */
export interface DataKeyReport {
  readonly keys: readonly KeyUse[]
  /** Workspaces whose values are being sealed with a new data key, or whose lost data key is being replaced. */
  readonly unfinished: number
}

/** Opens every data key, in batches. */
export async function inspectDataKeys(database: Database, keys: KeyRing): Promise<DataKeyReport> {
  const store = createKeyStore(database)
  const uses = new Map(keys.map(({ id }) => [id, { dataKeys: 0, unreadable: 0 }]))
  let unfinished = 0
  for await (const batch of readBatches(store.list)) {
    for (const stored of batch) {
      if (stored.previous !== null) unfinished += 1
      for (const { keyId, wrapped } of [stored, ...(stored.previous ? [stored.previous] : [])]) {
        const use = uses.get(keyId) ?? { dataKeys: 0, unreadable: 0 }
        use.dataKeys += 1
        if (!canUnwrap(keys, { ...stored, keyId, wrapped, previous: null })) use.unreadable += 1
        uses.set(keyId, use)
      }
    }
  }
  const isInRing = (keyId: string) => keys.some(({ id }) => id === keyId)
  return {
    keys: [...uses].map(([keyId, use]) => ({ keyId, isInRing: isInRing(keyId), ...use })),
    unfinished,
  }
}

function canUnwrap(...args: Parameters<typeof unwrapDataKeys>): boolean {
  try {
    unwrapDataKeys(...args)
    return true
  } catch (error) {
    if (error instanceof VaultError) return false
    throw error
  }
}
