import { sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { BoundedPage } from '../../platform/http/pagination.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { type Id, newId } from '../../platform/storage/id.ts'
import { isAfter } from '../../platform/storage/portable-sql.ts'
import type { RequestLogRow } from '../../platform/storage/tables.ts'
import { isFailure, type RequestEntry, type WeightedEntry } from './request-log.ts'

/** A stored request. Times are epoch milliseconds. */
export interface LoggedRequest extends Omit<RequestEntry, 'workspaceId' | 'path'> {
  readonly requestLogId: Id<'req'>
  /** Whether a debug window has recorded it. */
  readonly hasExchange: boolean
  readonly workspaceId: Id<'wsp'>
  readonly path: string | null
  readonly represents: number
}

/** Which requests to list. Absent members do not restrict the list. */
export interface RequestFilter {
  readonly kind?: RequestLogRow['kind'] | undefined
  readonly accountId?: Id<'acc'> | undefined
  readonly definitionId?: Id<'def'> | undefined
  readonly requestId?: string | undefined
  /** The first digit of the status. */
  readonly statusClass?: number | undefined
  /** Whether it failed: a status of 400 or more, or no response. */
  readonly isFailure?: boolean | undefined
  /** From this time on, and before this time. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The requests of the workspaces that the caller can access. */
export function createRequestLogStore(database: Database) {
  const { read } = database
  return {
    /** Requests, newest first: up to `limit + 1` of them. */
    async list(
      access: WorkspaceAccess,
      workspaceId: Id<'wsp'>,
      filter: RequestFilter,
      { after, limit }: BoundedPage,
    ): Promise<LoggedRequest[]> {
      let query = read
        .selectFrom('request_log')
        .selectAll()
        .select(HAS_EXCHANGE)
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .orderBy('at', 'desc')
        .orderBy('request_log_id', 'desc')
        .limit(limit + 1)
      const { kind, statusClass, from, to } = filter
      const isFailure = statusClass === undefined ? filter.isFailure : statusClass >= 4
      for (const [column, value] of [
        ['account_id', filter.accountId],
        ['request_id', filter.requestId],
        ['definition_id', filter.definitionId],
      ] as const)
        if (value !== undefined) query = query.where(column, '=', value)
      const isSelective =
        (filter.accountId ?? filter.requestId ?? filter.definitionId) !== undefined
      if (kind !== undefined) query = query.where(isSelective ? UNINDEXED.kind : 'kind', '=', kind)
      if (isFailure !== undefined)
        query = query.where(isSelective ? UNINDEXED.failed : 'failed', '=', Number(isFailure))
      if (statusClass !== undefined) query = query.where('status_class', '=', statusClass)
      // SQLite searches by one of two bounds and tests the other row by row: of each side it gets only the closer one.
      if (from !== undefined && after !== undefined && after.createdAt < from) return []
      if (from !== undefined) query = query.where('at', '>=', from)
      if (to !== undefined && (after === undefined || to <= after.createdAt))
        query = query.where('at', '<', to)
      if (after !== undefined) query = query.where(isAfter(['at', 'request_log_id'], after, 'desc'))
      const rows = await query.execute()
      return rows.map(toLoggedRequest)
    },

    async find(access: WorkspaceAccess, id: Id<'req'>): Promise<LoggedRequest | undefined> {
      const row = await read
        .selectFrom('request_log')
        .selectAll()
        .select(HAS_EXCHANGE)
        .where('request_log_id', '=', id)
        .where(isInAccessibleWorkspace(access, 'request_log'))
        .executeTakeFirst()
      return row && toLoggedRequest(row)
    },
  }
}

export type RequestLogStore = ReturnType<typeof createRequestLogStore>

/** SQLite has no statistics: it would prefer their indexes to those of an account, of which it reads less. */
const UNINDEXED = {
  kind: sql<RequestLogRow['kind']>`kind || ''`,
  failed: sql<number>`failed + 0`,
}

const HAS_EXCHANGE =
  sql<unknown>`exists (select 1 from debug_exchanges where debug_exchanges.request_log_id = request_log.request_log_id)`.as(
    'has_exchange',
  )

function toLoggedRequest(row: RequestLogRow & { readonly has_exchange: unknown }): LoggedRequest {
  return {
    requestLogId: row.request_log_id,
    hasExchange: Boolean(row.has_exchange),
    at: Number(row.at),
    workspaceId: row.workspace_id,
    kind: row.kind,
    operation: row.operation,
    method: row.method,
    host: row.host,
    path: row.path,
    status: row.status === null ? null : Number(row.status),
    code: row.code,
    durationMs: Number(row.duration_ms),
    requestId: row.request_id,
    accountId: row.account_id,
    definitionId: row.definition_id,
    tokenId: row.token_id,
    userId: row.user_id,
    via: row.via,
    represents: Number(row.represents),
  }
}

/** Creates what stores collected requests. Background work: not on behalf of a caller. */
export function createRequestWriter(database: Database) {
  return async (entries: readonly WeightedEntry[]): Promise<void> => {
    await database.transaction((trx) => storeRequests(database, trx, entries))
  }
}

/** Stores requests in a transaction. */
export async function storeRequests(
  database: Database,
  trx: Transaction,
  entries: readonly WeightedEntry[],
): Promise<void> {
  const owners = await lockOwners(database, trx, entries)
  const rows = entries.flatMap((each) => toRow(each, owners) ?? [])
  if (rows.length > 0) await trx.insertInto('request_log').values(rows).execute()
}

/** What requests belong to: until the transaction ends, none of it can be deleted or erased. */
interface Owners {
  readonly accounts: ReadonlyMap<string, OwnedAccount>
  /** The users of workspaces. */
  readonly workspaces: ReadonlyMap<string, Id<'usr'>>
  /** The only workspace of a user who has no other. */
  readonly onlyWorkspaces: ReadonlyMap<string, Id<'wsp'>>
}

interface OwnedAccount {
  readonly workspaceId: Id<'wsp'>
  readonly definitionId: Id<'def'>
  readonly isLive: boolean
}

async function lockOwners(
  { dialect }: Database,
  trx: Transaction,
  entries: readonly WeightedEntry[],
): Promise<Owners> {
  const collect = <T>(read: (entry: RequestEntry) => T | null) => [
    ...new Set(entries.flatMap(({ entry }) => read(entry) ?? [])),
  ]
  const accountIds = collect(({ accountId }) => accountId)
  const ofAccounts = trx
    .selectFrom('accounts')
    .select(['account_id', 'workspace_id', 'definition_id', 'deleted_at'])
    .where('account_id', 'in', accountIds)
    .orderBy('account_id')
  const accounts =
    accountIds.length === 0
      ? []
      : await (dialect === 'postgres' ? ofAccounts.forShare() : ofAccounts).execute()
  const onlyWorkspaces = await findOnlyWorkspaces(
    trx,
    collect(({ workspaceId, userId }) => (workspaceId === null ? userId : null)),
  )
  const workspaceIds = new Set([
    ...collect(({ workspaceId }) => workspaceId),
    ...accounts.map((row) => row.workspace_id),
    ...onlyWorkspaces.values(),
  ])
  const ofWorkspaces = trx
    .selectFrom('workspaces')
    .select(['workspace_id', 'user_id'])
    .where('workspace_id', 'in', [...workspaceIds])
    .where('deleted_at', 'is', null)
    .orderBy('workspace_id')
  const workspaces =
    workspaceIds.size === 0
      ? []
      : await (dialect === 'postgres' ? ofWorkspaces.forShare() : ofWorkspaces).execute()
  return {
    accounts: new Map(
      accounts.map((row) => [
        row.account_id,
        {
          workspaceId: row.workspace_id,
          definitionId: row.definition_id,
          isLive: row.deleted_at === null,
        },
      ]),
    ),
    workspaces: new Map(workspaces.map((row) => [row.workspace_id, row.user_id])),
    onlyWorkspaces,
  }
}

/** Few users have tokens that are bound to no workspace. */
async function findOnlyWorkspaces(
  trx: Transaction,
  userIds: readonly Id<'usr'>[],
): Promise<ReadonlyMap<string, Id<'wsp'>>> {
  const found = new Map<string, Id<'wsp'>>()
  for (const userId of userIds) {
    const [only, second] = await trx
      .selectFrom('workspaces')
      .select('workspace_id')
      .where('user_id', '=', userId)
      .where('deleted_at', 'is', null)
      .orderBy('created_at')
      .orderBy('workspace_id')
      .limit(2)
      .execute()
    if (only !== undefined && second === undefined) found.set(userId, only.workspace_id)
  }
  return found
}

/**
 * The row of a request; undefined if its workspace is not known. A request that names an account of someone else is not of that
 * account. Host and path of a provider could name people, so they are not stored once the account is deleted.
 */
function toRow(
  { entry, represents }: WeightedEntry,
  { accounts, workspaces, onlyWorkspaces }: Owners,
): RequestLogRow | undefined {
  const { accountId, userId } = entry
  const account = accountId === null ? undefined : accounts.get(accountId)
  const ofAccount =
    account !== undefined && workspaces.get(account.workspaceId) === userId
      ? account.workspaceId
      : undefined
  const workspaceId = entry.workspaceId ?? ofAccount ?? onlyWorkspaces.get(userId ?? '')
  if (workspaceId === undefined || !workspaces.has(workspaceId)) return undefined
  const isOwn = account?.workspaceId === workspaceId
  const isGone = entry.kind === 'provider' && accountId !== null && account?.isLive !== true
  return {
    request_log_id: entry.requestLogId ?? newId('req', entry.at),
    at: entry.at,
    workspace_id: workspaceId,
    kind: entry.kind,
    operation: entry.operation,
    method: entry.method,
    host: isGone ? null : entry.host,
    path: isGone ? null : entry.path,
    status: entry.status,
    status_class: Math.floor((entry.status ?? 0) / 100),
    failed: Number(isFailure(entry)),
    code: entry.code,
    duration_ms: entry.durationMs,
    request_id: entry.requestId,
    account_id: isOwn ? accountId : null,
    definition_id: (isOwn ? account?.definitionId : undefined) ?? entry.definitionId,
    token_id: entry.tokenId,
    user_id: entry.userId,
    via: entry.via,
    represents,
  }
}

/** Deletes what the log no longer retains. Background work: not on behalf of a caller. */
export function createRequestRetentionStore(database: Database) {
  return {
    /** Workspaces with requests, in their order, from the start or after one of them. */
    async nextWorkspace(after: string): Promise<Id<'wsp'> | undefined> {
      const row = await database.read
        .selectFrom('request_log')
        .select('workspace_id')
        .where('workspace_id', '>', after as Id<'wsp'>)
        .orderBy('workspace_id')
        .limit(1)
        .executeTakeFirst()
      return row?.workspace_id
    },

    /** When the newest request ended that is beyond the newest `count` of a workspace; undefined if there are not so many. */
    async findBeyond(workspaceId: Id<'wsp'>, count: number): Promise<number | undefined> {
      const row = await database.read
        .selectFrom('request_log')
        .select('at')
        .where('workspace_id', '=', workspaceId)
        .orderBy('at', 'desc')
        .orderBy('request_log_id', 'desc')
        .limit(1)
        .offset(count)
        .executeTakeFirst()
      return row && Number(row.at)
    },

    /** Deletes at most `limit` requests from before `before`. Returns how many. */
    async deleteOld(workspaceId: Id<'wsp'>, before: number, limit: number): Promise<number> {
      const { numDeletedRows } = await database.transaction((trx) =>
        trx
          .deleteFrom('request_log')
          .where('request_log_id', 'in', (eb) =>
            eb
              .selectFrom('request_log')
              .select('request_log_id')
              .where('workspace_id', '=', workspaceId)
              .where('at', '<', before)
              .orderBy('at')
              .limit(sql.lit(limit)),
          )
          .executeTakeFirst(),
      )
      return Number(numDeletedRows)
    },
  }
}

export type RequestRetentionStore = ReturnType<typeof createRequestRetentionStore>

/**
 * Creates background work that deletes requests of more than 7 days, and those beyond the newest 100,000 of each workspace, every
 * ten minutes, in bounded transactions.
 */
export function createRequestRetention(
  store: RequestRetentionStore,
  now: () => number,
): () => Promise<void> {
  let nextAt = 0
  return async () => {
    if (now() < nextAt) return
    nextAt = now() + INTERVAL_MS
    let batches = 0
    let workspaceId = await store.nextWorkspace('')
    while (workspaceId !== undefined) {
      const beyond = await store.findBeyond(workspaceId, MAX_ROWS)
      const before = Math.max(now() - MAX_AGE_MS, beyond === undefined ? 0 : beyond + 1)
      while ((await store.deleteOld(workspaceId, before, BATCH)) === BATCH) {
        batches += 1
        // The next round continues.
        if (batches === MAX_BATCHES) {
          nextAt = 0
          return
        }
      }
      workspaceId = await store.nextWorkspace(workspaceId)
    }
  }
}

const INTERVAL_MS = 10 * 60_000
const MAX_AGE_MS = 7 * 24 * 60 * 60_000
const MAX_ROWS = 100_000
const BATCH = 1_000
const MAX_BATCHES = 50
