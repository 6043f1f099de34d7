import { sql } from 'kysely'
import { coversWorkspace, getTenant, type WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isOwnedWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { INITIAL_HASH } from '../../platform/storage/audit-inbox.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { AuditEventRow } from '../../platform/storage/tables.ts'
import { type ChainId, toChainedEntry } from './audit-chain-store.ts'
import type { ChainedEntry } from './audit-entry.ts'

/** Which entries to list. Absent members do not restrict the list. */
export interface AuditFilter {
  /** Epoch milliseconds: the first and, exclusively, the last time. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly action?: string | undefined
  readonly actor?: string | undefined
  readonly tokenId?: string | undefined
  readonly subject?: string | undefined
  readonly ip?: string | undefined
  readonly requestId?: string | undefined
  readonly outcome?: string | undefined
}

/** The chain to read: of a workspace that the caller can access, or, for administrators, of entries outside workspaces. */
export interface ReadableChain {
  readonly access: WorkspaceAccess
  readonly chainId: ChainId
}

/** The entries of a chain that are retained: from `oldest` to `last`. */
export interface ChainRange {
  readonly oldest: number
  readonly last: number
}

/** Sequence numbers from `first` to `last`, and how many entries to read. */
interface SequenceWindow extends AuditWindow {
  readonly limit: number
}

interface AuditWindow {
  readonly first: number
  readonly last: number
}

/** The audit trail of the workspaces that the caller can access. */
export function createAuditStore(database: Database) {
  const { read } = database
  const entriesOf = (chain: ReadableChain) =>
    read.selectFrom('audit_events').where(isReadable(chain)).where(IS_CHAINED)
  return {
    async getRange(chain: ReadableChain): Promise<ChainRange> {
      const row = await findChain(read, chain)
      return { oldest: Number(row?.oldest ?? 1), last: Number(row?.last ?? 0) }
    },

    /** The sequence number of the first entry from `at` on, in epoch milliseconds; undefined if there is none. */
    async findFirst(chain: ReadableChain, at: number): Promise<number | undefined> {
      const near = entriesOf(chain).select('sequence').where('at', '>=', at)
      const rows = await near.orderBy('at').limit(OUT_OF_ORDER).execute()
      return minimum(rows.map(({ sequence }) => Number(sequence)))
    },

    /** The sequence number of the last entry before `at`, in epoch milliseconds; undefined if there is none. */
    async findLast(chain: ReadableChain, at: number): Promise<number | undefined> {
      const near = entriesOf(chain).select('sequence').where('at', '<', at)
      const rows = await near.orderBy('at', 'desc').limit(OUT_OF_ORDER).execute()
      const last = minimum(rows.map(({ sequence }) => -Number(sequence)))
      return last === undefined ? undefined : -last
    },

    /** Entries that match the filter, newest first. */
    async list(
      chain: ReadableChain,
      { first, last, limit }: SequenceWindow,
      { from, to, action, actor, tokenId, subject, ip, requestId, outcome }: AuditFilter,
    ): Promise<ChainedEntry[]> {
      let query = read.selectFrom('audit_events').selectAll().where(isReadable(chain))
      query = query.where('sequence', '<=', last)
      const isIndexed = subject !== undefined || requestId !== undefined
      // With both bounds, SQLite would use the index of sequence numbers instead of that of subjects or requests.
      const lowest = isIndexed ? sql<number>`+sequence` : sql.ref<number>('sequence')
      query = query.where(lowest, '>=', first)
      if (from !== undefined) query = query.where('at', '>=', from)
      if (to !== undefined) query = query.where('at', '<', to)
      const equal = {
        action,
        user_id: actor,
        token_id: tokenId,
        subject,
        ip,
        request_id: requestId,
        outcome,
      }
      for (const [column, value] of Object.entries(equal))
        if (value !== undefined) query = query.where(column as 'ip', '=', value)
      const rows = await query.orderBy('sequence', 'desc').limit(limit).execute()
      return rows.map(toChainedEntry)
    },

    /** The hash of an entry; of the one before the oldest, the base of the chain. Undefined if it is not retained. */
    async findHash(chain: ReadableChain, sequence: number): Promise<string | undefined> {
      const row = await findChain(read, chain)
      if (sequence === (row === undefined ? 1 : Number(row.oldest)) - 1)
        return row?.base_hash ?? INITIAL_HASH
      const entry = await entriesOf(chain)
        .select('hash')
        .where('sequence', '=', sequence)
        .executeTakeFirst()
      return entry?.hash ?? undefined
    },
  }
}

export type AuditStore = ReturnType<typeof createAuditStore>

/** An expression: while its statistics are old, PostgreSQL would take nearly all entries for unchained, and sort the rest. */
const IS_CHAINED = sql<boolean>`coalesce(sequence, 0) > 0`

/** Entries are chained by their time, but those of concurrent transactions may be chained in another order. */
const OUT_OF_ORDER = 1_000

function minimum(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values)
}

function isReadable({ access, chainId }: ReadableChain) {
  return chainId === null
    ? sql<boolean>`audit_events.workspace_id is null`
    : sql<boolean>`audit_events.workspace_id = ${chainId} and ${isAccessibleWorkspace(access, chainId)}`
}

function findChain(read: Database['read'], { access, chainId }: ReadableChain) {
  const chains = read
    .selectFrom('audit_chains')
    .select(['oldest', 'last', 'base_hash'])
    .where('workspace_id', '=', chainId ?? '')
  return (
    chainId === null ? chains : chains.where(isAccessibleWorkspace(access, chainId))
  ).executeTakeFirst()
}

/** Reads chains for exports: many entries, without blocking the event loop or filling the cache of other reads. */
export function createAuditExportStore(database: Database) {
  const ofWorkspace = database.prepare<WorkspaceParams, AuditEventRow>((db, param) =>
    db
      .selectFrom('audit_events')
      .selectAll()
      .where('workspace_id', '=', param('workspaceId'))
      .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
      .where('sequence', '>=', param('first'))
      .where('sequence', '<=', param('last'))
      .orderBy('sequence')
      .limit(param('limit')),
  )
  const ofInstance = database.prepare<SequenceWindow, AuditEventRow>((db, param) =>
    db
      .selectFrom('audit_events')
      .selectAll()
      .where('workspace_id', 'is', null)
      .where('sequence', '>=', param('first'))
      .where('sequence', '<=', param('last'))
      .orderBy('sequence')
      .limit(param('limit')),
  )
  return {
    /** All entries of a window, in the order of the chain. */
    async readChain(
      { access, chainId }: ReadableChain,
      window: SequenceWindow,
    ): Promise<ChainedEntry[]> {
      if (chainId === null) return toEntries(await ofInstance.allAside(INSTANCE, window))
      if (!coversWorkspace(access, chainId)) return []
      const params = { ...window, workspaceId: chainId, userId: access.userId }
      return toEntries(await ofWorkspace.allAside(getTenant(access), params))
    },
  }
}

export type AuditExportStore = ReturnType<typeof createAuditExportStore>

interface WorkspaceParams extends SequenceWindow {
  readonly workspaceId: WorkspaceId
  readonly userId: string
}

/** The tenant of entries outside workspaces. */
const INSTANCE = 'instance'

function toEntries(rows: readonly AuditEventRow[]): ChainedEntry[] {
  return rows.map(toChainedEntry)
}
