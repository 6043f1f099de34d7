import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Database, Transaction } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { KeyRing } from './key-ring.ts'
import { createKeyStore, type KeyStore, readBatches, type StoredDataKeys } from './key-store.ts'
import { openBox, type SealContext, sealBox, VaultError } from './sealed-box.ts'

/** The data keys of workspaces, each wrapped by a key of the key ring. */
export interface DataKeys {
  /** Creates the data key of a workspace in the transaction that creates the workspace. */
  create(trx: Transaction, workspaceId: Id<'wsp'>): Promise<void>
  /** The data key of a workspace. @throws VaultError if there is none or it cannot be unwrapped */
  get(workspaceId: Id<'wsp'>): Promise<DataKey>
  /** The data key that sealed a value. @throws VaultError likewise */
  find(workspaceId: Id<'wsp'>, id: string): Promise<KeyObject>
  /** Deletes the data key of a workspace in a transaction, and from the memory of this process. */
  destroy(trx: Transaction, workspaceId: Id<'wsp'>): Promise<void>
}

/** A data key, and the id that the values it seals have. */
export interface DataKey {
  readonly id: string
  readonly key: KeyObject
}

/** The data keys of a workspace: the current one first, then the previous one while its values are sealed again. */
export type DataKeyPair = readonly [DataKey, ...DataKey[]]

/** Another process may have replaced a data key: after this time a process notices, in milliseconds. */
export const DATA_KEY_MAX_AGE_MS = 60_000

/** Caches the 1,000 most recently used keys in memory. */
export function createDataKeys(
  store: KeyStore,
  keys: KeyRing,
  now: () => number,
  maxAgeMs = DATA_KEY_MAX_AGE_MS,
): DataKeys {
  const cache = new Map<string, { readonly at: number; readonly loading: Promise<Loaded> }>()

  function load(workspaceId: Id<'wsp'>): Promise<Loaded> {
    const former = cache.get(workspaceId)?.loading
    const loading = loadDataKeys(store, keys, workspaceId, former)
    const entry = { at: performance.now(), loading }
    cache.delete(workspaceId)
    cache.set(workspaceId, entry)
    loading.catch(() => cache.get(workspaceId) === entry && cache.delete(workspaceId))
    const oldest = cache.keys().next()
    if (cache.size > MAX_CACHED && !oldest.done) cache.delete(oldest.value)
    return loading
  }

  function getPair(workspaceId: Id<'wsp'>): Promise<Loaded> {
    const entry = cache.get(workspaceId)
    if (entry === undefined || performance.now() - entry.at > maxAgeMs) return load(workspaceId)
    cache.delete(workspaceId)
    cache.set(workspaceId, entry)
    return entry.loading
  }

  return {
    create: (trx, workspaceId) => store.insert(trx, createStored(keys, workspaceId, 1), now()),
    get: async (workspaceId) => (await getPair(workspaceId)).pair[0],
    find: async (workspaceId, id) => {
      const { pair } = await getPair(workspaceId)
      const known = pair.find((each) => each.id === id)
      // A value that another process has sealed with a newer data key.
      const found = known ?? (await load(workspaceId)).pair.find((each) => each.id === id)
      if (found === undefined)
        throw new VaultError('tampered', 'A sealed value was modified or belongs to another row')
      return found.key
    },
    destroy: async (trx, workspaceId) => {
      await store.delete(trx, workspaceId)
      cache.delete(workspaceId)
    },
  }
}

const MAX_CACHED = 1000

interface Loaded {
  readonly stored: StoredDataKeys
  readonly pair: DataKeyPair
}

/** Reads the data keys of a workspace; unwraps them only if they have changed. */
async function loadDataKeys(
  store: KeyStore,
  keys: KeyRing,
  workspaceId: Id<'wsp'>,
  former: Promise<Loaded> | undefined,
): Promise<Loaded> {
  const stored = await store.find(workspaceId)
  if (stored === undefined)
    throw new VaultError('no_data_key', `Workspace ${workspaceId} has no data key`)
  const known = await former?.catch(() => undefined)
  if (known !== undefined && isSame(known.stored, stored)) return known
  return { stored, pair: unwrapDataKeys(keys, stored) }
}

function isSame(one: StoredDataKeys, other: StoredDataKeys): boolean {
  return (
    Buffer.compare(one.wrapped, other.wrapped) === 0 &&
    one.previous?.keyId === other.previous?.keyId
  )
}

/** Unwraps the data keys of a workspace. @throws VaultError */
export function unwrapDataKeys(keys: KeyRing, stored: StoredDataKeys): DataKeyPair {
  const { workspaceId, number, previous } = stored
  const toDataKey = (id: number, wrapped: Pick<StoredDataKeys, 'keyId' | 'wrapped'>): DataKey => ({
    id: String(id),
    key: createSecretKey(unwrapKey(keys, { workspaceId, ...wrapped })),
  })
  const current = toDataKey(number, stored)
  return previous === null ? [current] : [current, toDataKey(number - 1, previous)]
}

/** A new data key with a number, wrapped by the first key of the ring. */
export function createStored(
  keys: KeyRing,
  workspaceId: Id<'wsp'>,
  number: number,
): StoredDataKeys {
  const wrapped = wrapKey(keys, workspaceId, randomBytes(32))
  return { workspaceId, number, ...wrapped, previous: null, updatedAt: null }
}

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
 * @throws VaultError `in_progress` while values are sealed with new data keys
 */
export async function rotateKeys(
  { database, store, keys }: { database: Database; store: KeyStore; keys: KeyRing },
  now: () => number,
  { batchSize = 100, onBatch }: RotateOptions = {},
): Promise<number> {
  if ((await store.listUnfinished(1)).length > 0)
    throw new VaultError(
      'in_progress',
      'Values are being sealed with new data keys. Run `linchpin keys rekey` to its end first.',
    )
  const rotateBatch = async (trx: Transaction): Promise<number> => {
    const previousKeys = await store.listWrappedByOthers(trx, keys[0].id, batchSize)
    for (const previous of previousKeys) {
      const { workspaceId } = previous
      const rewrapped = wrapKey(keys, workspaceId, unwrapKey(keys, previous))
      await store.replace(trx, previous, { ...previous, ...rewrapped }, now())
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
function wrapKey(keys: KeyRing, workspaceId: Id<'wsp'>, dataKey: Uint8Array) {
  const [{ id, key }] = keys
  return { keyId: id, wrapped: sealBox(key, id, createKeyContext(workspaceId), dataKey) }
}

/** Unwraps a data key. @throws VaultError */
function unwrapKey(
  keys: KeyRing,
  { workspaceId, keyId, wrapped }: Pick<StoredDataKeys, 'workspaceId' | 'keyId' | 'wrapped'>,
): Uint8Array {
  const ringKey = keys.find(({ id }) => id === keyId)
  if (ringKey === undefined) {
    throw new VaultError('unknown_key', `The key ring has no key ${keyId}`)
  }
  return openBox(ringKey.key, createKeyContext(workspaceId), wrapped)
}

function createKeyContext(workspaceId: Id<'wsp'>): SealContext {
  return { table: 'workspace_keys', column: 'wrapped_key', workspaceId, rowId: workspaceId }
}

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
