import { type Kysely, sql } from 'kysely'
import { coversWorkspace, getTenant, type WorkspaceAccess } from '../../access/auth/caller.ts'
import { isOwnedWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Database, Param, PreparedQuery } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { ACCOUNT_STATUSES, type AccountStatus } from './account.ts'

/** A page of the customers of a workspace. */
export interface CustomerPage {
  readonly workspaceId: WorkspaceId
  /** Only identifiers that begin with this text. */
  readonly prefix: string
  /** Only identifiers after this one, in the order of their bytes. */
  readonly after: string | undefined
  readonly limit: number
}

/** The live accounts of one `accountIdentifier`. Times are epoch milliseconds. */
export interface Customer {
  readonly accountIdentifier: string
  readonly byStatus: Readonly<Record<AccountStatus, number>>
  /** When the oldest of them was connected. */
  readonly firstAt: number
  readonly lastAt: number
}

type Shape = 'from' | 'after'

interface CustomerParams {
  readonly userId: UserId
  readonly workspaceId: WorkspaceId
  readonly start: string
  readonly end: string
  readonly limit: number
}

type CustomerRow = Readonly<Record<AccountStatus | 'first_at' | 'last_at', number>> & {
  readonly account_identifier: string
}

export type CustomerStore = ReturnType<typeof createCustomerStore>

/** Counts the live accounts of customers, in the workspaces that the caller can access. */
export function createCustomerStore(database: Database) {
  const prepared = new Map<string, PreparedQuery<CustomerParams, CustomerRow>>()
  const prepareOnce = (shape: Shape, hasEnd: boolean) => {
    const key = `${shape} ${hasEnd}`
    const query =
      prepared.get(key) ??
      database.prepare((db, param: Param<CustomerParams>) =>
        selectCustomers(db, param, { shape, hasEnd }),
      )
    prepared.set(key, query)
    return query
  }
  return {
    /** By identifier. Reads the accounts of the page's customers, beside the main thread: one customer may have very many. */
    async list(access: WorkspaceAccess, page: CustomerPage): Promise<Customer[]> {
      const { workspaceId, prefix, after, limit } = page
      if (!coversWorkspace(access, workspaceId)) return []
      const isAfter = after !== undefined && Buffer.compare(bytes(after), bytes(prefix)) >= 0
      const shape = isAfter ? 'after' : 'from'
      const end = findEnd(prefix)
      const rows = await prepareOnce(shape, end !== undefined).allLong(getTenant(access), {
        userId: access.userId,
        workspaceId,
        start: isAfter ? after : prefix,
        end: end ?? '',
        limit,
      })
      return rows.map(toCustomer)
    },
  }
}

const bytes = (text: string) => Buffer.from(text)

/** The first text, in the order of bytes, after all that begin with a prefix; undefined if there is none. */
export function findEnd(prefix: string): string | undefined {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (codePoints.at(-1) === LAST_CODE_POINT) codePoints.pop()
  const last = codePoints.pop()
  if (last === undefined) return undefined
  // Surrogates are no characters.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return String.fromCodePoint(...codePoints, next)
}

const LAST_CODE_POINT = 0x10ffff

function selectCustomers(
  db: Kysely<Tables>,
  param: Param<CustomerParams>,
  { shape, hasEnd }: { readonly shape: Shape; readonly hasEnd: boolean },
) {
  const query = db
    .selectFrom('accounts')
    .select(sql<string>`account_identifier`.as('account_identifier'))
    .select(ACCOUNT_STATUSES.map(countStatus))
    .select((eb) => [
      eb.fn.min<number>('created_at').as('first_at'),
      eb.fn.max<number>('created_at').as('last_at'),
    ])
    .where('workspace_id', '=', param('workspaceId'))
    .where('deleted_at', 'is', null)
    .where('account_identifier', 'is not', null)
    .where('account_identifier', shape === 'after' ? '>' : '>=', param('start'))
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    // The index has them in this order, so that the database stops after the last customer of the page.
    .groupBy('account_identifier')
    .orderBy('account_identifier')
    .limit(param('limit'))
  return hasEnd ? query.where('account_identifier', '<', param('end')) : query
}

const countStatus = (status: AccountStatus) =>
  sql<number>`count(case when status = ${sql.lit(status)} then 1 end)`.as(status)

function toCustomer({ account_identifier, first_at, last_at, ...counts }: CustomerRow): Customer {
  const byStatus = ACCOUNT_STATUSES.map((status) => [status, Number(counts[status])])
  return {
    accountIdentifier: account_identifier,
    byStatus: Object.fromEntries(byStatus) as Customer['byStatus'],
    firstAt: Number(first_at),
    lastAt: Number(last_at),
  }
}
