import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Log } from '../../platform/http/log.ts'
import type { Cause } from '../../platform/record/change.ts'
import { recordEvent } from '../../platform/record/record-store.ts'
import { type Rounds, startRounds } from '../../platform/rounds.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { AuditChainRow, AuditEventRow } from '../../platform/storage/tables.ts'
import {
  type ChainedEntry,
  getSubjectType,
  type PersonalDigest,
  serializeAuditEntry,
} from './audit-entry.ts'
import {
  CHECKPOINT_MS,
  type Checkpoint,
  type CheckpointSigner,
  digestValue,
  hashEntry,
  INITIAL_HASH,
  isCheckpointDue,
  signCheckpoint,
} from './hash-chain.ts'

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

/** The workspace of a chain; null for entries that belong to none. */
export type ChainId = WorkspaceId | null

/** Creates the chain if it does not exist, and locks it until the end of the transaction. */
export function lockChain(trx: Transaction, chainId: ChainId, now: number): Promise<AuditChainRow> {
  return trx
    .insertInto('audit_chains')
    .values({
      workspace_id: chainId ?? '',
      last: 0,
      last_hash: INITIAL_HASH,
      oldest: 1,
      base_hash: INITIAL_HASH,
      checkpoint_sequence: 0,
      checkpoint_at: now,
    })
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet({ last: sql`audit_chains.last` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Limits a query to the entries of a chain. */
export function ofChain(chainId: ChainId) {
  return sql<boolean>`audit_events.workspace_id ${chainId === null ? sql`is null` : sql`= ${chainId}`}`
}

/** The entry of a row that was chained. */
export function toChainedEntry(row: AuditEventRow): ChainedEntry {
  const { ip_salt, ip_digest, detail_salt, detail_digest } = row
  const isErased = detail_salt === null && detail_digest !== null
  return {
    auditId: row.event_id,
    at: row.at,
    workspaceId: row.workspace_id,
    sequence: Number(row.sequence),
    ...getActor(row),
    // Earlier versions stored empty strings.
    userId: row.user_id || null,
    tokenId: row.token_id || null,
    ip: row.ip,
    action: row.action,
    outcome: row.outcome === 'refused' ? 'refused' : 'done',
    subject: row.subject,
    subjectType: getSubjectType(row.subject),
    detail: isErased ? undefined : JSON.parse(row.detail),
    requestId: row.request_id || null,
    hash: row.hash ?? '',
    personal: {
      ip: toPersonalDigest(ip_salt, ip_digest),
      detail: toPersonalDigest(detail_salt, detail_digest) ?? { salt: null, digest: '' },
    },
  }
}

/** Who and how. Earlier versions did not store it. */
function getActor({ actor_kind, via, user_id, token_id }: AuditEventRow): {
  kind: ChainedEntry['kind']
  via: Cause['via']
} {
  if (actor_kind !== null && via !== null)
    return { kind: actor_kind as ChainedEntry['kind'], via: via as Cause['via'] }
  if (!user_id) return { kind: 'system', via: 'background' }
  return token_id ? { kind: 'token', via: 'api' } : { kind: 'person', via: 'page' }
}

function toPersonalDigest(salt: string | null, digest: string | null): PersonalDigest | null {
  return digest === null ? null : { salt, digest }
}

export interface ChainAuditTrailDeps {
  readonly database: Pick<Database, 'onCommit'>
  readonly auditChains: AuditChainStore
  readonly readAuditKey: () => Promise<CheckpointSigner>
  readonly log: Log
  readonly now: () => number
}

/**
 * Chains the entries of the audit trail within a second after each commit of this process, and every second those that other
 * processes left, and publishes checkpoints. Several processes may do so on one database.
 */
export function startChainingAuditTrail(deps: ChainAuditTrailDeps): Rounds {
  return startRounds({
    round: () => chainAll(deps),
    onError: (error) => deps.log.warn({ err: error }, 'the audit trail could not be chained'),
    pollMs: POLL_MS,
    pauseMs: PAUSE_MS,
    afterCommits: { database: deps.database, delayMs: DELAY_MS },
  })
}

/** Chains one batch per workspace. Returns whether there is more to do. */
async function chainAll(deps: ChainAuditTrailDeps): Promise<boolean> {
  const { auditChains, now } = deps
  const grown = await auditChains.listUnchained(CHAINS)
  const due = await auditChains.listDueCheckpoints(now() - CHECKPOINT_MS, CHAINS)
  let hasMore = grown.length >= CHAINS || due.length === CHAINS
  for (const chainId of new Set([...grown, ...due]))
    if ((await chainOne(deps, chainId)) === BATCH) hasMore = true
  return hasMore
}

/** Returns the number of entries. The key is read, and created, only when there is something to sign. */
async function chainOne(deps: ChainAuditTrailDeps, chainId: ChainId): Promise<number> {
  const { auditChains, now, log } = deps
  const batch = await auditChains.chain(chainId, { limit: BATCH, now: now() })
  if (!batch.isCheckpointDue) return batch.count
  const signer = await deps.readAuditKey()
  const { count, checkpoint } = await auditChains.chain(chainId, {
    limit: BATCH,
    now: now(),
    signer,
  })
  if (checkpoint !== undefined) log.info({ checkpoint }, 'audit checkpoint')
  return Math.max(batch.count, count)
}

const DELAY_MS = 250
const POLL_MS = 1_000
const BATCH = 200
const CHAINS = 100
/** Between two rounds, for the requests that wait: the entries of an earlier version may be many. */
const PAUSE_MS = 20
