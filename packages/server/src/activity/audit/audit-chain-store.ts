import { randomBytes } from 'node:crypto'
import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Log } from '../../platform/http/log.ts'
import type { Cause } from '../../platform/record/change.ts'
import { recordEvent } from '../../platform/record/record-store.ts'
import { type Rounds, startRounds } from '../../platform/rounds.ts'
import { AUDIT_ENTRY_COLUMNS, createAuditChainRow } from '../../platform/storage/audit-inbox.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { jsonRows } from '../../platform/storage/portable-sql.ts'
import type { AuditChainRow, AuditEventRow, AuditInboxRow } from '../../platform/storage/tables.ts'
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
  isCheckpointDue,
  signCheckpoint,
} from './hash-chain.ts'

/** What chaining a batch has done. */
export interface ChainedBatch {
  /** How many entries were chained. */
  readonly count: number
  /** The chains that need a checkpoint now. */
  readonly due: readonly ChainId[]
}

/** The workspace of a chain; null for entries that belong to none. */
export type ChainId = WorkspaceId | null

/** The hash chains of the audit trail. Background work: not on behalf of a caller. */
export function createAuditChainStore(database: Database) {
  return {
    /** The chains of the oldest entries that wait in the inbox, of which it reads at most `limit`. */
    async listUnchained(limit: number): Promise<ChainId[]> {
      const { read } = database
      const oldest = read
        .selectFrom('audit_inbox')
        .select('workspace_id')
        .orderBy('position')
        .limit(limit)
      return listWorkspaces(read.selectFrom(oldest.as('oldest')))
    },

    /**
     * Chains the oldest entries of these chains, at most `limit`, in the order of their insertion. A chain that another
     * transaction has locked keeps its entries in the inbox.
     *
     * @param now epoch milliseconds
     */
    chain(
      chainIds: readonly ChainId[],
      { limit, now }: { readonly limit: number; readonly now: number },
    ): Promise<ChainedBatch> {
      return database.transaction(async (trx) => {
        const heads = await lockChains(database, trx, chainIds, now)
        const rows = await trx
          .selectFrom('audit_inbox')
          .selectAll()
          .where(isOf(database, heads))
          .orderBy('position')
          .limit(limit)
          .execute()
        const grown = new Map(heads.map((head) => [head.workspace_id, head]))
        if (rows.length > 0) await moveEntries(database, trx, linkEntries(grown, rows))
        if (rows.length > 0) await updateHeads(database, trx, [...grown.values()])
        const due = [...grown.values()].filter((head) => isCheckpointDue(head, head.last, now))
        return { count: rows.length, due: due.map(toChainId) }
      })
    },

    /**
     * Moves entries that nodes of earlier versions have inserted into the trail without chaining them to the inbox, at most
     * `limit`, and returns how many.
     */
    async collectUnchained(limit: number, now: number): Promise<number> {
      const { read } = database
      const oldest = read
        .selectFrom('audit_events')
        .select('workspace_id')
        .where('sequence', 'is', null)
        .limit(limit)
      const chainIds = await listWorkspaces(read.selectFrom(oldest.as('oldest')))
      if (chainIds.length === 0) return 0
      return database.transaction((trx) => collect(database, trx, chainIds, { limit, now }))
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
      return rows.map(toChainId)
    },

    /** Publishes checkpoints of those of these chains that need one, and returns them. */
    publishCheckpoints(
      chainIds: readonly ChainId[],
      { now, signer }: { readonly now: number; readonly signer: CheckpointSigner },
    ): Promise<Checkpoint[]> {
      return database.transaction(async (trx) => {
        const heads = await lockChains(database, trx, chainIds, now)
        const due = heads.filter((head) => isCheckpointDue(head, head.last, now))
        const published: Checkpoint[] = []
        for (const head of due) published.push(await publishCheckpoint(trx, head, { now, signer }))
        return published
      })
    },
  }
}

export type AuditChainStore = ReturnType<typeof createAuditChainStore>

async function listWorkspaces(
  entries: SelectQueryBuilder<
    { oldest: { workspace_id: ChainId } },
    'oldest',
    Record<never, never>
  >,
): Promise<ChainId[]> {
  const rows = await entries.select('workspace_id').distinct().execute()
  return rows.map(({ workspace_id }) => workspace_id)
}

const toChainId = ({ workspace_id }: Pick<AuditChainRow, 'workspace_id'>): ChainId =>
  workspace_id || null

/**
 * Locks chains until the end of the transaction, and creates those that do not exist. Leaves out those that another transaction
 * has locked: who holds several locks waits for none.
 */
async function lockChains(
  database: Database,
  trx: Transaction,
  chainIds: readonly ChainId[],
  now: number,
): Promise<AuditChainRow[]> {
  const ids = chainIds.map((chainId) => ({ workspace_id: chainId ?? ('' as const) }))
  const ofIds = isIn(database, sql.ref('audit_chains.workspace_id'), ids)
  const query = trx.selectFrom('audit_chains').selectAll().where(ofIds)
  const isPostgres = database.dialect === 'postgres'
  const locked = await (isPostgres ? query.forUpdate().skipLocked() : query).execute()
  if (locked.length === ids.length) return locked
  // An insert would wait for a transaction that has locked the chain by an update.
  const known = await trx.selectFrom('audit_chains').select('workspace_id').where(ofIds).execute()
  const existing = new Set(known.map(({ workspace_id }) => workspace_id))
  const missing = ids
    .filter(({ workspace_id }) => !existing.has(workspace_id))
    .sort((one, other) => (one.workspace_id < other.workspace_id ? -1 : 1))
  for (const { workspace_id } of missing)
    locked.push(
      ...(await trx
        .insertInto('audit_chains')
        .values(createAuditChainRow(workspace_id, now))
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .execute()),
    )
  return locked
}

type ChainRef = Pick<AuditChainRow, 'workspace_id'>

/** Whether the column has the workspace of one of these chains. */
function isIn(database: Database, column: RawBuilder<unknown>, chains: readonly ChainRef[]) {
  const ids = chains.map(({ workspace_id }) => ({ workspace_id }))
  const rows = jsonRows(database, { workspace_id: 'text' }, ids, 'chain')
  return sql<boolean>`${column} in (select chain.workspace_id from ${rows})`
}

/** Whether an entry belongs to one of these chains. */
const isOf = (database: Database, chains: readonly ChainRef[]) =>
  isIn(database, sql`coalesce(workspace_id, '')`, chains)

/** An entry of the inbox at its place in its chain. */
interface LinkedEntry {
  readonly position: number
  readonly entry: ChainedEntry
}

/** Gives each entry its place at the end of its chain, and replaces the heads of the chains. */
function linkEntries(
  heads: Map<AuditChainRow['workspace_id'], AuditChainRow>,
  rows: readonly Selectable<AuditInboxRow>[],
): LinkedEntry[] {
  const salts = randomBytes(rows.length * 2 * SALT_BYTES)
  const saltAt = (position: number) =>
    salts.subarray(position * SALT_BYTES, (position + 1) * SALT_BYTES).toString('base64url')
  const digest = (salt: string, value: unknown) => ({ salt, digest: digestValue(salt, value) })
  return rows.flatMap(({ position, ...row }, index) => {
    const head = heads.get(row.workspace_id ?? '')
    if (head === undefined) return []
    const sequence = Number(head.last) + 1
    const entry = toChainedEntry({ ...row, ...UNCHAINED, sequence })
    const ip = entry.ip === null ? null : digest(saltAt(index * 2), entry.ip)
    const detail = digest(saltAt(index * 2 + 1), entry.detail)
    const digests = { ip: ip?.digest ?? null, detail: detail.digest }
    const hash = hashEntry(head.last_hash, serializeAuditEntry(entry), digests)
    heads.set(head.workspace_id, { ...head, last: sequence, last_hash: hash })
    return [{ position: Number(position), entry: { ...entry, hash, personal: { ip, detail } } }]
  })
}

const UNCHAINED = {
  subject_type: null,
  hash: null,
  ip_salt: null,
  ip_digest: null,
  detail_salt: null,
  detail_digest: null,
} as const

const SALT_BYTES = 16

/** Moves entries from the inbox into the trail. */
async function moveEntries(
  database: Database,
  trx: Transaction,
  linked: readonly LinkedEntry[],
): Promise<void> {
  const rows = linked.map(({ position, entry }) => ({
    position,
    sequence: entry.sequence,
    hash: entry.hash,
    actor_kind: entry.kind,
    via: entry.via,
    outcome: entry.outcome,
    subject_type: entry.subjectType,
    ip_salt: entry.personal.ip?.salt ?? null,
    ip_digest: entry.personal.ip?.digest ?? null,
    detail_salt: entry.personal.detail.salt,
    detail_digest: entry.personal.detail.digest,
  }))
  const chained = jsonRows(database, LINK_TYPES, rows, 'chained')
  const copied = AUDIT_ENTRY_COLUMNS.filter((column) => !(column in LINK_TYPES))
  const added = Object.keys(LINK_TYPES).filter((column) => column !== 'position')
  const refs = (table: string, columns: readonly string[]) =>
    columns.map((column) => sql.ref(`${table}.${column}`))
  const names = [...copied, ...added].map((column) => sql.ref(column))
  await sql`insert into audit_events (${sql.join(names)})
    select ${sql.join([...refs('audit_inbox', copied), ...refs('chained', added)])}
    from ${chained} join audit_inbox on audit_inbox.position = chained.position`.execute(trx)
  const positions = rows.map(({ position }) => ({ position }))
  await sql`delete from audit_inbox where position in
    (select moved.position from ${jsonRows(database, { position: 'bigint' }, positions, 'moved')})`.execute(
    trx,
  )
}

/** What chaining adds to an entry, or replaces in one of an earlier version. */
const LINK_TYPES = {
  position: 'bigint',
  sequence: 'bigint',
  hash: 'text',
  actor_kind: 'text',
  via: 'text',
  outcome: 'text',
  subject_type: 'text',
  ip_salt: 'text',
  ip_digest: 'text',
  detail_salt: 'text',
  detail_digest: 'text',
} as const

async function updateHeads(
  database: Database,
  trx: Transaction,
  heads: readonly AuditChainRow[],
): Promise<void> {
  const types = { workspace_id: 'text', last: 'bigint', last_hash: 'text' } as const
  const rows = heads.map(({ workspace_id, last, last_hash }) => ({ workspace_id, last, last_hash }))
  await sql`update audit_chains set last = head.last, last_hash = head.last_hash
    from ${jsonRows(database, types, rows, 'head')}
    where audit_chains.workspace_id = head.workspace_id`.execute(trx)
}

async function publishCheckpoint(
  trx: Transaction,
  { workspace_id, last: sequence, last_hash: hash }: AuditChainRow,
  { now, signer }: { readonly now: number; readonly signer: CheckpointSigner },
): Promise<Checkpoint> {
  const workspaceId = workspace_id || null
  const checkpoint = signCheckpoint(signer, { workspaceId, sequence, hash, at: now })
  await trx
    .updateTable('audit_chains')
    .set({ checkpoint_sequence: sequence, checkpoint_at: now })
    .where('workspace_id', '=', workspace_id)
    .execute()
  if (workspaceId !== null)
    await recordEvent(trx, now, workspaceId, {
      type: 'audit.checkpoint',
      subject: workspaceId,
      data: { checkpoint },
    })
  return checkpoint
}

/** Nodes of earlier versions lock the chain, too, before they read the entries that they chain. */
async function collect(
  database: Database,
  trx: Transaction,
  chainIds: readonly ChainId[],
  { limit, now }: { readonly limit: number; readonly now: number },
): Promise<number> {
  const heads = await lockChains(database, trx, chainIds, now)
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('audit_inbox')
    .columns(AUDIT_ENTRY_COLUMNS)
    .expression(
      trx
        .selectFrom('audit_events')
        .select(AUDIT_ENTRY_COLUMNS)
        .where('sequence', 'is', null)
        .where(isOf(database, heads))
        .orderBy('at')
        .orderBy('event_id')
        .limit(limit),
    )
    .executeTakeFirst()
  await trx
    .deleteFrom('audit_events')
    .where('sequence', 'is', null)
    .where('event_id', 'in', (eb) => eb.selectFrom('audit_inbox').select('event_id'))
    .execute()
  return Number(numInsertedOrUpdatedRows)
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

/** Chains one batch of all workspaces. Returns whether there is more to do. */
async function chainAll({ auditChains, readAuditKey, now, log }: ChainAuditTrailDeps) {
  const collected = await auditChains.collectUnchained(BATCH, now())
  const chainIds = await auditChains.listUnchained(BATCH)
  const batch =
    chainIds.length === 0
      ? { count: 0, due: [] }
      : await auditChains.chain(chainIds, { limit: BATCH, now: now() })
  const late = await auditChains.listDueCheckpoints(now() - CHECKPOINT_MS, BATCH)
  const due = [...new Set([...batch.due, ...late])]
  if (due.length > 0) {
    // The key is read, and created, only when there is something to sign.
    const signer = await readAuditKey()
    for (const checkpoint of await auditChains.publishCheckpoints(due, { now: now(), signer }))
      log.info({ checkpoint }, 'audit checkpoint')
  }
  return [collected, batch.count, late.length].includes(BATCH)
}

const DELAY_MS = 250
const POLL_MS = 1_000
/** Entries per transaction, of as many workspaces as wrote them: one commit for all. */
const BATCH = 200
/** Between two rounds, for the requests that wait: the entries of an earlier version may be many. */
const PAUSE_MS = 20
