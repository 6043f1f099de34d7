import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import { createStored, DATA_KEY_MAX_AGE_MS, type DataKeyPair, unwrapDataKeys } from './data-keys.ts'
import type { KeyRing } from './key-ring.ts'
import { createKeyStore, readBatches, type StoredDataKeys } from './key-store.ts'
import { openBox, readKeyId, sealBox } from './sealed-box.ts'
import {
  createSealedValueStore,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedRow,
} from './sealed-value-store.ts'

export interface RekeyDeps {
  readonly database: Database
  readonly keys: KeyRing
  readonly now: () => number
}

export interface RekeyOptions {
  /** Default: all. */
  readonly workspaceId?: Id<'wsp'> | undefined
  /**
   * How long nodes may seal with the previous data keys, in milliseconds: until they notice, and to finish what they do. For half
   * of it, the previous data keys are stored on after the last value is sealed again.
   */
  readonly graceMs?: number | undefined
  readonly onProgress?: ((text: string) => void) | undefined
}

/** What `rekey` has done. */
export interface RekeyResult {
  readonly workspaces: number
  readonly values: number
}

/**
 * Gives workspaces new data keys and seals all their values again, while nodes use them. Until the end, the previous data key
 * is stored too, so that every value can be opened. Another call continues after an interruption.
 *
 * @throws VaultError if a value cannot be opened: its workspace keeps both data keys
 */
export async function rekey(deps: RekeyDeps, options: RekeyOptions = {}): Promise<RekeyResult> {
  const { workspaceId, graceMs = GRACE_MS, onProgress } = options
  const store = createKeyStore(deps.database)
  const unfinished = await listAll(store.listUnfinished, workspaceId)
  const started = await begin(deps, unfinished, workspaceId)
  onProgress?.(`${started.length} workspaces have a new data key. Waiting until all nodes use it.`)
  await sleep(graceMs)
  const pairs = new Map(
    started.map((stored) => [stored.workspaceId, unwrapDataKeys(deps.keys, stored)]),
  )
  let values = 0
  for (const column of SEALED_COLUMNS)
    for (let count = -1; count !== 0; values += count)
      count = await resealColumn(deps, column, pairs, workspaceId)
  // A request may have read a value just before it was sealed again.
  await sleep(graceMs / 2)
  for (const batch of toBatches(started))
    await deps.database.transaction(async (trx) => {
      for (const stored of batch)
        await store.replace(trx, stored, { ...stored, previous: null }, deps.now())
    })
  return { workspaces: started.length, values }
}

/** Nodes notice a new data key within the first part; a request ends within the second. */
const GRACE_MS = DATA_KEY_MAX_AGE_MS + 60_000
const BATCH = 100
/** The pause after each batch lets others write. */
const PAUSE_MS = 10

/** Gives every workspace a new data key, in batches; after an interruption, those that it had not reached. */
async function begin(
  { database, keys, now }: RekeyDeps,
  unfinished: readonly StoredDataKeys[],
  workspaceId: Id<'wsp'> | undefined,
): Promise<StoredDataKeys[]> {
  const store = createKeyStore(database)
  const startedAt = Math.min(...unfinished.map(({ updatedAt }) => updatedAt ?? 0))
  const remaining = (await listAll(store.list, workspaceId)).filter(
    ({ previous, updatedAt }) => previous === null && (updatedAt ?? 0) < startedAt,
  )
  for (const batch of toBatches(remaining))
    await database.transaction(async (trx) => {
      for (const former of batch) {
        const next = createStored(keys, former.workspaceId, former.number + 1)
        const { keyId, wrapped } = former
        await store.replace(trx, former, { ...next, previous: { keyId, wrapped } }, now())
      }
    })
  return listAll(store.listUnfinished, workspaceId)
}

/** Seals the values of a column again that the current data keys have not sealed. Returns their number. */
async function resealColumn(
  { database }: RekeyDeps,
  column: SealedColumn,
  pairs: ReadonlyMap<string, DataKeyPair>,
  workspaceId: Id<'wsp'> | undefined,
): Promise<number> {
  const values = createSealedValueStore(database)
  let count = 0
  for (let after: SealedRow | undefined; ; ) {
    const rows = await values.list(column, { after, limit: BATCH, workspaceId })
    after = rows.at(-1)
    if (after === undefined) return count
    const resealed = rows.flatMap((row) => reseal(column, row, pairs))
    count += resealed.length
    if (resealed.length === 0) continue
    await database.transaction(async (trx) => {
      for (const { row, sealed } of resealed) await values.replace(trx, column, row, sealed)
    })
    await sleep(PAUSE_MS)
  }
}

function reseal(column: SealedColumn, row: SealedRow, pairs: ReadonlyMap<string, DataKeyPair>) {
  const former = row.sealed as Uint8Array
  const context = column.getContext(row)
  const pair = pairs.get(context.workspaceId)
  // Deleted webhook endpoints have an empty value.
  if (pair === undefined || former.length === 0) return []
  const [current] = pair
  const id = readKeyId(former)
  if (id === current.id) return []
  const previous = pair.find((each) => each.id === id) ?? current
  const plaintext = openBox(previous.key, context, former)
  return [{ row, sealed: sealBox(current.key, current.id, context, plaintext) }]
}

async function listAll(
  list: Parameters<typeof readBatches>[0],
  workspaceId?: Id<'wsp'>,
): Promise<StoredDataKeys[]> {
  const all: StoredDataKeys[] = []
  for await (const batch of readBatches(list)) all.push(...batch)
  return all.filter((each) => workspaceId === undefined || each.workspaceId === workspaceId)
}

function toBatches<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / BATCH) }, (_, index) =>
    all.slice(index * BATCH, (index + 1) * BATCH),
  )
}
