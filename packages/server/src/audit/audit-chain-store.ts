import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { recordEvent } from '../record/record-store.ts'
import type { Database, Transaction } from '../storage/database.ts'
import type { AuditChainRow, AuditEventRow } from '../storage/tables.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { ChainedEntry } from './audit-entry.ts'
import { toChainedEntry } from './audit-row-store.ts'
import {
  type Checkpoint,
  type CheckpointSigner,
  isCheckpointDue,
  signCheckpoint,
} from './checkpoint.ts'
import { digestValue, hashEntry, INITIAL_HASH } from './hash-entry.ts'
import { serializeAuditEntry } from './schemas.ts'

/** The workspace of a chain; null for entries that belong to none. */
export type ChainId = WorkspaceId | null

/** The result of chaining a batch. */
export interface ChainedBatch {
  readonly count: number
  /** The checkpoint that was published. */
  readonly checkpoint: Checkpoint | undefined
  /** Whether a checkpoint is due that could not be signed. */
  readonly isCheckpointDue: boolean
}

export interface ChainOptions {
  readonly limit: number
  /** Epoch milliseconds. */
  readonly now: number
  /** Absent: checkpoints are postponed. */
  readonly signer?: CheckpointSigner | undefined
}

/** The hash chains of the audit trail. Background work: not on behalf of a caller. */
export function createAuditChainStore(database: Database) {
  return {
    /** Chains with entries that are not chained yet. Skips from workspace to workspace, however many entries each has. */
    async listUnchained(limit: number): Promise<ChainId[]> {
      const { rows } = await sql<{ workspace_id: WorkspaceId | null }>`
        with recursive found(workspace_id) as (
          select min(workspace_id) from audit_events where sequence is null
          union all
          select (select min(workspace_id) from audit_events
            where sequence is null and workspace_id > found.workspace_id)
          from found where found.workspace_id is not null
        )
        select workspace_id from found where workspace_id is not null limit ${limit}`.execute(
        database.read,
      )
      const withoutWorkspace = await database.read
        .selectFrom('audit_events')
        .select('event_id')
        .where('workspace_id', 'is', null)
        .where('sequence', 'is', null)
        .limit(1)
        .executeTakeFirst()
      const chains = rows.map(({ workspace_id }) => workspace_id)
      return withoutWorkspace === undefined ? chains : [null, ...chains]
    },

    /** Chains whose last checkpoint is from before `before`, in epoch milliseconds, and that have grown since. */
    async listDueCheckpoints(before: number, limit: number): Promise<ChainId[]> {
      const rows = await database.read
        .selectFrom('audit_chains')
        .select('workspace_id')
        .where('checkpoint_at', '<=', before)
        .whereRef('last', '>', 'checkpoint_sequence')
        .orderBy('checkpoint_at')
        .limit(limit)
        .execute()
      return rows.map(({ workspace_id }) => workspace_id || null)
    },

    /** Chains at most `limit` entries, oldest first, and publishes a checkpoint if one is due. */
    chain(chainId: ChainId, options: ChainOptions): Promise<ChainedBatch> {
      return database.transaction((trx) => chainBatch(trx, chainId, options))
    },

    /**
     * Deletes at most `limit` of the oldest entries from before `before`, in epoch milliseconds, and returns how many. The
     * hash of the last one becomes the base of the chain.
     */
    deleteOld(chainId: ChainId, before: number, limit: number): Promise<number> {
      return database.transaction((trx) => deleteOldEntries(trx, chainId, before, limit))
    },

    /** Whether the oldest entry of a chain is from before `before`, in epoch milliseconds. */
    async isOlder(chainId: ChainId, before: number): Promise<boolean> {
      const oldest = await database.read
        .selectFrom('audit_events')
        .select('at')
        .where(ofChain(chainId))
        .where('sequence', 'is not', null)
        .orderBy('sequence')
        .limit(1)
        .executeTakeFirst()
      return oldest !== undefined && oldest.at < before
    },

    /** Chains, in the order of their workspaces, from the start or after one of them. */
    async listChains(after: ChainId | undefined, limit: number): Promise<ChainId[]> {
      const rows = await database.read
        .selectFrom('audit_chains')
        .select('workspace_id')
        .$if(after !== undefined, (query) =>
          query.where(sql<boolean>`workspace_id > ${after ?? ''}`),
        )
        .orderBy('workspace_id')
        .limit(limit)
        .execute()
      return rows.map(({ workspace_id }) => workspace_id || null)
    },
  }
}

export type AuditChainStore = ReturnType<typeof createAuditChainStore>

async function chainBatch(
  trx: Transaction,
  chainId: ChainId,
  { limit, now, signer }: ChainOptions,
): Promise<ChainedBatch> {
  const head = await lockChain(trx, chainId, now)
  const rows = await trx
    .selectFrom('audit_events')
    .selectAll()
    .where(ofChain(chainId))
    .where('sequence', 'is', null)
    .orderBy('at')
    .orderBy('event_id')
    .limit(limit)
    .execute()
  const entries = linkEntries(head, rows)
  if (entries.length > 0) await updateEntries(trx, entries)
  const last = entries.at(-1) ?? { sequence: head.last, hash: head.last_hash }
  const isDue = isCheckpointDue(head, last.sequence, now)
  const checkpoint =
    isDue && signer !== undefined
      ? signCheckpoint(signer, {
          workspaceId: chainId,
          sequence: last.sequence,
          hash: last.hash,
          at: now,
        })
      : undefined
  await trx
    .updateTable('audit_chains')
    .set({
      last: last.sequence,
      last_hash: last.hash,
      ...(checkpoint && { checkpoint_sequence: last.sequence, checkpoint_at: now }),
    })
    .where('workspace_id', '=', chainId ?? '')
    .execute()
  if (checkpoint !== undefined && chainId !== null)
    await recordEvent(trx, now, chainId, {
      ...{ type: 'audit.checkpoint', subject: chainId, data: { checkpoint } },
    })
  return {
    ...{ count: entries.length, checkpoint },
    isCheckpointDue: isDue && signer === undefined,
  }
}

/** Creates the chain if it does not exist, and locks it until the end of the transaction. */
function lockChain(trx: Transaction, chainId: ChainId, now: number): Promise<AuditChainRow> {
  return trx
    .insertInto('audit_chains')
    .values({
      workspace_id: chainId ?? '',
      ...{ last: 0, last_hash: INITIAL_HASH, oldest: 1, base_hash: INITIAL_HASH },
      ...{ checkpoint_sequence: 0, checkpoint_at: now },
    })
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet({ last: sql`audit_chains.last` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

function ofChain(chainId: ChainId) {
  return sql<boolean>`audit_events.workspace_id ${chainId === null ? sql`is null` : sql`= ${chainId}`}`
}

function linkEntries(head: AuditChainRow, rows: readonly AuditEventRow[]): ChainedEntry[] {
  let { last: sequence, last_hash: hash } = head
  const salts = randomBytes(rows.length * 2 * SALT_BYTES)
  return rows.map((row, index) => {
    sequence += 1
    const entry = toChainedEntry({ ...row, sequence })
    const saltAt = (position: number) =>
      salts.subarray(position * SALT_BYTES, (position + 1) * SALT_BYTES).toString('base64url')
    const digest = (salt: string, value: unknown) => ({ salt, digest: digestValue(salt, value) })
    const ip = entry.ip === null ? null : digest(saltAt(index * 2), entry.ip)
    const detail = digest(saltAt(index * 2 + 1), entry.detail)
    const digests = { ip: ip?.digest ?? null, detail: detail.digest }
    hash = hashEntry(hash, serializeAuditEntry(entry), digests)
    return { ...entry, hash, personal: { ip, detail } }
  })
}

const SALT_BYTES = 16

async function updateEntries(trx: Transaction, entries: readonly ChainedEntry[]): Promise<void> {
  const rows = entries.map(
    ({ auditId, sequence, hash, kind, via, outcome, subjectType, personal }) => {
      const { ip, detail } = personal
      const values = [
        ...[auditId, sequence, hash, kind, via, outcome, subjectType],
        ...[ip?.salt ?? null, ip?.digest ?? null, detail.salt, detail.digest],
      ]
      return sql`(${sql.join(values)})`
    },
  )
  // PostgreSQL takes the parameters of VALUES for text.
  await sql`with chained(event_id, sequence, hash, actor_kind, via, outcome, subject_type,
      ip_salt, ip_digest, detail_salt, detail_digest) as (values ${sql.join(rows)})
    update audit_events set sequence = cast(chained.sequence as bigint), hash = chained.hash,
      actor_kind = chained.actor_kind, via = chained.via, outcome = chained.outcome,
      subject_type = chained.subject_type, ip_salt = chained.ip_salt, ip_digest = chained.ip_digest,
      detail_salt = chained.detail_salt, detail_digest = chained.detail_digest
    from chained where audit_events.event_id = chained.event_id`.execute(trx)
}

async function deleteOldEntries(
  trx: Transaction,
  chainId: ChainId,
  before: number,
  limit: number,
): Promise<number> {
  const { oldest } = await lockChain(trx, chainId, before)
  const rows = await trx
    .selectFrom('audit_events')
    .select(['at', 'sequence', 'hash'])
    .where(ofChain(chainId))
    .where('sequence', '>=', oldest)
    .orderBy('sequence')
    .limit(limit)
    .execute()
  const count = rows.findIndex(({ at }) => at >= before)
  const last = rows.at(count === -1 ? rows.length - 1 : count - 1)
  if (count === 0 || last === undefined) return 0
  await trx
    .deleteFrom('audit_events')
    .where(ofChain(chainId))
    .where('sequence', '>=', oldest)
    .where('sequence', '<=', last.sequence)
    .execute()
  await trx
    .updateTable('audit_chains')
    .set({ oldest: Number(last.sequence) + 1, base_hash: last.hash ?? '' })
    .where('workspace_id', '=', chainId ?? '')
    .execute()
  return count === -1 ? rows.length : count
}
