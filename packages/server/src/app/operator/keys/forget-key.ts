import {
  generateSigningSecrets,
  getPublicKey,
} from '../../../activity/webhooks/endpoint-secrets.ts'
import { SYSTEM_ACTOR } from '../../../platform/record/change.ts'
import { record } from '../../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../../platform/storage/database.ts'
import { createStored, type DataKey, unwrapDataKeys } from '../../../platform/vault/data-keys.ts'
import type { KeyRing } from '../../../platform/vault/key-ring.ts'
import {
  createKeyStore,
  readBatches,
  type StoredDataKeys,
} from '../../../platform/vault/key-store.ts'
import { readKeyId, sealBox } from '../../../platform/vault/sealed-box.ts'
import {
  createSealedValueStore,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedRow,
} from '../../../platform/vault/sealed-value-store.ts'
import { formatCommand, type OperatorContext, OperatorUsageError } from '../operator-command.ts'
import { openKeys } from './key-commands.ts'
import {
  KEY_LOST,
  type LostValue,
  loseAccount,
  loseApproval,
  loseAttempt,
  loseClientSecret,
  loseEndpointHeaders,
  loseErasure,
  loseExchange,
  loseGivenConfig,
  loseHeaders,
  loseInstanceKey,
  loseReconnectUrl,
  loseRotation,
  loseSigningSecrets,
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
  'bulk_job_items.sealed_url': loseReconnectUrl,
  'debug_exchanges.sealed': loseExchange,
  'agent_approvals.sealed_request': loseApproval,
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

/** Gives up what a lost key protects. */
export async function forgetKeyCommand(
  args: readonly string[],
  context: OperatorContext,
): Promise<number> {
  const [keyId, ...options] = args
  if (keyId === undefined || keyId.startsWith('-'))
    throw new OperatorUsageError('it takes a key ID')
  if (options.join() !== '--accept-loss')
    throw new OperatorUsageError(
      `every secret that only ${keyId} opens is lost; add --accept-loss if you accept that`,
    )
  const { output, now } = context
  const { database, keys } = await openKeys(context, { exclusive: true })
  const counts = new Map<string, number>()
  try {
    const onLost = (column: string, rowId: string, workspaceId: string) => {
      counts.set(column, (counts.get(column) ?? 0) + 1)
      output.log(`lost: ${column} of ${rowId} in ${workspaceId}`)
    }
    const workspaces = await forgetKey({ database, keys, now, onLost }, keyId)
    const list = [...counts].map(([column, count]) => `${count} ${column}`).join(', ') || 'nothing'
    if (workspaces === 0 && counts.size === 0)
      output.log(
        `No data key needs ${keyId}: nothing was changed. \`${formatCommand(context.env, 'keys verify')}\` lists the keys that are missing.`,
      )
    else output.log(`Forgot ${keyId}: ${workspaces} workspaces have a new data key. Lost: ${list}.`)
    return 0
  } catch (error) {
    if (!(error instanceof KeyAvailableError)) throw error
    output.error(
      `${keyId} is in the key ring, so it is not lost. To replace it, run \`${formatCommand(context.env, 'keys rotate')}\`.`,
    )
    return 65
  } finally {
    await database.close()
  }
}
