import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { StoredExchange } from './debug-exchange.ts'
import type { WeightedEntry } from './request-log.ts'
import { storeRequests } from './request-log-store.ts'

/** A debug window that is open. Times are epoch milliseconds. */
export interface OpenWindow {
  readonly accountId: Id<'acc'>
  readonly openedAt: number
  readonly endsAt: number
  /** How many exchanges it has. */
  readonly exchanges: number
  /** The configuration of the account without its secrets. */
  readonly publicConfig: unknown
}

/** An exchange to store, with its entry in the request log. */
export interface NewExchange {
  readonly requestLogId: Id<'req'>
  readonly workspaceId: Id<'wsp'>
  readonly accountId: Id<'acc'>
  /** When its window was opened. */
  readonly openedAt: number
  readonly entry: WeightedEntry
  /** Undefined: it could not be sealed. */
  readonly sealed: Uint8Array | undefined
}

/** Exchanges that a window stores. */
export const MAX_EXCHANGES = 200
/** How long exchanges are stored. */
export const EXCHANGE_AGE_MS = 24 * 60 * 60_000

/** The context that a stored exchange is bound to. */
export function createExchangeContext(workspaceId: Id<'wsp'>, requestLogId: Id<'req'>) {
  return { table: 'debug_exchanges', column: 'sealed', workspaceId, rowId: requestLogId }
}

/** Stores debug windows and their exchanges. Background work, or on behalf of a caller who can access the account. */
export function createDebugWindowStore(database: Database) {
  const { read } = database
  return {
    /** Opens a window, or lets the one that is open end at another time. It keeps its exchanges then. */
    async open(
      trx: Transaction,
      {
        accountId,
        workspaceId,
      }: { readonly accountId: Id<'acc'>; readonly workspaceId: Id<'wsp'> },
      { now, endsAt }: { readonly now: number; readonly endsAt: number },
    ): Promise<void> {
      const isOpen = sql<boolean>`debug_windows.ends_at > ${now}`
      await trx
        .insertInto('debug_windows')
        .values({
          account_id: accountId,
          workspace_id: workspaceId,
          opened_at: now,
          ends_at: endsAt,
          exchanges: 0,
        })
        .onConflict((conflict) =>
          conflict.column('account_id').doUpdateSet({
            ends_at: endsAt,
            opened_at: sql<number>`case when ${isOpen} then debug_windows.opened_at else ${now} end`,
            exchanges: sql<number>`case when ${isOpen} then debug_windows.exchanges else 0 end`,
          }),
        )
        .execute()
    },

    /** Ends the window of an account, if it is open. */
    async end(trx: Transaction, accountId: Id<'acc'>, now: number): Promise<void> {
      await trx
        .updateTable('debug_windows')
        .set({ ends_at: now })
        .where('account_id', '=', accountId)
        .where('ends_at', '>', now)
        .execute()
    },

    /** The windows that are open and not full, of live accounts. */
    async listOpen(now: number): Promise<OpenWindow[]> {
      const rows = await read
        .selectFrom('debug_windows')
        .innerJoin('accounts', 'accounts.account_id', 'debug_windows.account_id')
        .select(['debug_windows.account_id', 'opened_at', 'ends_at', 'exchanges', 'public_config'])
        .where('ends_at', '>', now)
        .where('exchanges', '<', MAX_EXCHANGES)
        .where('accounts.deleted_at', 'is', null)
        .orderBy('ends_at')
        .limit(MAX_WINDOWS)
        .execute()
      return rows.map((row) => ({
        accountId: row.account_id,
        openedAt: Number(row.opened_at),
        endsAt: Number(row.ends_at),
        exchanges: Number(row.exchanges),
        publicConfig: row.public_config === null ? {} : JSON.parse(row.public_config),
      }))
    },

    /** Stores requests, and their exchanges as far as their windows have room and their accounts were not deleted meanwhile. */
    async store(exchanges: readonly NewExchange[]): Promise<void> {
      await database.transaction(async (trx) => {
        await storeRequests(
          database,
          trx,
          exchanges.map(({ entry }) => entry),
        )
        for (const exchange of exchanges) {
          const { sealed, requestLogId, workspaceId, accountId } = exchange
          if (sealed === undefined || !(await takePlace(trx, exchange))) continue
          await trx
            .insertInto('debug_exchanges')
            .values({
              request_log_id: requestLogId,
              at: exchange.entry.entry.at,
              workspace_id: workspaceId,
              account_id: accountId,
              sealed,
            })
            .execute()
        }
      })
    },

    /** Deletes at most `limit` exchanges from before `before`. Returns how many. */
    async deleteOld(before: number, limit: number): Promise<number> {
      return database.transaction(async (trx) => {
        await trx.deleteFrom('debug_windows').where('ends_at', '<', before).execute()
        const { numDeletedRows } = await trx
          .deleteFrom('debug_exchanges')
          .where('request_log_id', 'in', (eb) =>
            eb
              .selectFrom('debug_exchanges')
              .select('request_log_id')
              .where('at', '<', before)
              .orderBy('at')
              .limit(sql.lit(limit)),
          )
          .executeTakeFirst()
        return Number(numDeletedRows)
      })
    },
  }
}

export type DebugWindowStore = ReturnType<typeof createDebugWindowStore>

const MAX_WINDOWS = 1_000

/** Locks the row of the window, so that its account is deleted before or after: then with this exchange. */
async function takePlace(
  trx: Transaction,
  { accountId, workspaceId, openedAt }: NewExchange,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('debug_windows')
    .set((eb) => ({ exchanges: eb('exchanges', '+', 1) }))
    .where('account_id', '=', accountId)
    .where('workspace_id', '=', workspaceId)
    .where('opened_at', '=', openedAt)
    .where('exchanges', '<', MAX_EXCHANGES)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the windows of accounts that are being deleted, with their exchanges. */
export async function deleteDebugWindows(
  trx: Transaction,
  accounts: readonly { readonly workspace_id: Id<'wsp'>; readonly account_id: Id<'acc'> }[],
): Promise<void> {
  for (const { workspace_id, account_id } of accounts) {
    await trx.deleteFrom('debug_windows').where('account_id', '=', account_id).execute()
    await trx
      .deleteFrom('debug_exchanges')
      .where('workspace_id', '=', workspace_id)
      .where('account_id', '=', account_id)
      .execute()
  }
}

/** The exchange of a request, if it is stored and not too old. @throws VaultError */
export async function findExchange(
  { read }: Pick<Database, 'read'>,
  vault: Pick<Vault, 'openText'>,
  {
    workspaceId,
    requestLogId,
  }: { readonly workspaceId: Id<'wsp'>; readonly requestLogId: Id<'req'> },
  now: number,
): Promise<{ readonly exchange: StoredExchange; readonly expiresAt: number } | undefined> {
  const row = await read
    .selectFrom('debug_exchanges')
    .select(['at', 'sealed'])
    .where('request_log_id', '=', requestLogId)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  const expiresAt = Number(row?.at) + EXCHANGE_AGE_MS
  if (row === undefined || expiresAt <= now) return undefined
  const text = await vault.openText(createExchangeContext(workspaceId, requestLogId), row.sealed)
  return { exchange: JSON.parse(text) as StoredExchange, expiresAt }
}
