import { generateSigningSecrets } from '../../../activity/webhooks/endpoint-secrets.ts'
import { getPublicKey } from '../../../activity/webhooks/signatures.ts'
import { SYSTEM_ACTOR } from '../../../platform/record/change.ts'
import { record } from '../../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../../platform/storage/database.ts'
import type { DataKey } from '../../../platform/vault/data-keys.ts'
import { createStored, unwrapDataKeys } from '../../../platform/vault/data-keys.ts'
import type { KeyRing } from '../../../platform/vault/key-ring.ts'
import {
  createKeyStore,
  readBatches,
  type StoredDataKeys,
} from '../../../platform/vault/key-store.ts'
import { readKeyId, sealBox } from '../../../platform/vault/sealed-box.ts'
import {
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedRow,
} from '../../../platform/vault/sealed-columns.ts'
import { createSealedValueStore } from '../../../platform/vault/sealed-value-store.ts'
import { loseEndpointHeaders, loseSigningSecrets } from './lost-endpoint-values-store.ts'
import {
  KEY_LOST,
  type LostValue,
  loseAccount,
  loseAttempt,
  loseClientSecret,
  loseErasure,
  loseGivenConfig,
  loseHeaders,
  loseInstanceKey,
  loseRotation,
} from './lost-values-store.ts'

export interface ForgetKeyDeps {
  readonly database: Database
  /** Without the lost key. */
  readonly keys: KeyRing
  readonly now: () => number
  /** Called for every value that was lost. */
  readonly onLost: (column: string, rowId: string, workspaceId: string) => void
}

/** The key is not lost. */
export class KeyAvailableError extends Error {}

/**
 * Gives the workspaces of a lost key new data keys, and handles each value that cannot be opened any more; see docs/maintenance.md.
 * No node may run. Another call continues after an interruption.
 *
 * @returns the number of workspaces
 * @throws {KeyAvailableError}
 */
export async function forgetKey(deps: ForgetKeyDeps, keyId: string): Promise<number> {
  const { database, keys } = deps
  if (keys.some(({ id }) => id === keyId)) throw new KeyAvailableError()
  const store = createKeyStore(database)
  const affected = await begin(deps, keyId)
  const current = new Map(
    affected.map((stored) => {
      const [dataKey] = unwrapDataKeys(keys, { ...stored, previous: null })
      return [stored.workspaceId as string, dataKey]
    }),
  )
  if (affected.length > 0)
    for (const column of SEALED_COLUMNS) await loseColumn(deps, column, current)
  for (const stored of affected)
    await database.transaction(async (trx) => {
      await store.replace(trx, stored, { ...stored, previous: null }, deps.now())
      const { workspaceId } = stored
      await record(trx, SYSTEM_ACTOR, deps.now(), {
        action: 'workspace.updated',
        workspaceId,
        subject: workspaceId,
        detail: { reason: KEY_LOST, keyId },
      })
    })
  await database.transaction((trx) => store.deleteCheck(trx, keyId))
  return affected.length
}

/** Gives every workspace of the key a new data key; the unreadable one marks it until the end. */
async function begin({ database, keys, now }: ForgetKeyDeps, keyId: string) {
  const store = createKeyStore(database)
  for await (const batch of readBatches(store.list)) {
    const lost = batch.filter((stored) => stored.keyId === keyId)
    await database.transaction(async (trx) => {
      for (const former of lost) {
        const next = createStored(keys, former.workspaceId, former.number + 1)
        const previous = { keyId, wrapped: former.wrapped }
        await store.replace(trx, former, { ...next, previous }, now())
      }
    })
  }
  const affected: StoredDataKeys[] = []
  for await (const batch of readBatches(store.listUnfinished)) affected.push(...batch)
  return affected.filter(({ previous }) => previous?.keyId === keyId)
}

type Lose = (trx: Transaction, value: LostValue) => Promise<boolean>

/** What becomes of a lost value, by its column. */
const LOSE: Readonly<Record<string, Lose>> = {
  'accounts.sealed_config': loseAccount,
  'account_tokens.sealed_headers': loseHeaders,
  'rotations.sealed': loseRotation,
  'oauth_apps.sealed_secret': loseClientSecret,
  'oauth_sessions.sealed': loseAttempt,
  'connect_sessions.sealed_config': loseGivenConfig,
  'webhook_endpoints.sealed_secrets': (trx, value) => {
    const secrets = generateSigningSecrets()
    const publicKey = getPublicKey(secrets.v1a)
    return loseSigningSecrets(trx, value, { plaintext: JSON.stringify([secrets]), publicKey })
  },
  'webhook_endpoints.sealed_headers': loseEndpointHeaders,
  'erasures.sealed_identifier': loseErasure,
  'instance_keys.sealed': loseInstanceKey,
}

async function loseColumn(
  { database, now, onLost }: ForgetKeyDeps,
  column: SealedColumn,
  current: ReadonlyMap<string, DataKey>,
): Promise<void> {
  const name = `${column.table}.${column.column}`
  const lose = LOSE[name]
  if (lose === undefined) throw new TypeError(`forgetKey does not handle ${name}`)
  const values = createSealedValueStore(database)
  for (let after: SealedRow | undefined; ; ) {
    const rows = await values.list(column, { after, limit: BATCH })
    after = rows.at(-1)
    if (after === undefined) return
    const lost = rows.flatMap((row) => toLostValue(column, row, current, now()))
    if (lost.length === 0) continue
    const handled = await database.transaction(async (trx) => {
      const done: LostValue[] = []
      for (const value of lost) if (await lose(trx, value)) done.push(value)
      return done
    })
    for (const { rowId, workspaceId } of handled) onLost(name, rowId, workspaceId)
  }
}

const BATCH = 100

function toLostValue(
  column: SealedColumn,
  row: SealedRow,
  current: ReadonlyMap<string, DataKey>,
  now: number,
): LostValue[] {
  const context = column.getContext(row)
  const sealed = row.sealed as Uint8Array
  const dataKey = current.get(context.workspaceId)
  // Deleted webhook endpoints have an empty value.
  if (dataKey === undefined || sealed.length === 0 || readKeyId(sealed) === dataKey.id) return []
  const { rowId, workspaceId } = context
  const seal = (text: string) => sealBox(dataKey.key, dataKey.id, context, Buffer.from(text))
  return [{ rowId, workspaceId, sealed, now, seal }]
}
