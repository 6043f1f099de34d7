import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { recordEvent } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { AuditChainRow, AuditEventRow } from '../../platform/storage/tables.ts'
import { type ChainId, lockChain, ofChain } from './audit-chain-row-store.ts'
import type { ChainedEntry } from './audit-entry.ts'
import { toChainedEntry } from './audit-row-store.ts'
import {
  type Checkpoint,
  type CheckpointSigner,
  isCheckpointDue,
  signCheckpoint,
} from './checkpoint.ts'
import { digestValue, hashEntry } from './hash-entry.ts'
import { serializeAuditEntry } from './schemas.ts'

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
      type: 'audit.checkpoint',
      subject: chainId,
      data: { checkpoint },
    })
  return {
    count: entries.length,
    checkpoint,
    isCheckpointDue: isDue && signer === undefined,
  }
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
