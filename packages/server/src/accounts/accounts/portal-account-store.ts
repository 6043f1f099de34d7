import { sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Definition, DefinitionId } from '../../integrations/definitions/definition.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isAfter } from '../../platform/storage/portable-sql.ts'
import {
  type Account,
  type AccountId,
  type AccountRow,
  type AccountStatus,
  UNCHECKED,
} from './account.ts'

/** The live accounts of one customer in one workspace. Every query names both. */
export function createPortalAccountStore(database: Database) {
  const from = (access: WorkspaceAccess, scope: AccountScope) => {
    const { workspaceId, accountIdentifier, accountId, definitionIds, typeKeys } = scope
    let query = database.read
      .selectFrom('accounts')
      .innerJoin('definitions', 'definitions.definition_id', 'accounts.definition_id')
      .where('accounts.workspace_id', '=', workspaceId)
      .where(isAccessibleWorkspace(access, workspaceId))
      .where(
        'accounts.account_identifier',
        accountIdentifier === null ? 'is' : '=',
        accountIdentifier,
      )
      .where('accounts.deleted_at', 'is', null)
    if (accountId !== null) query = query.where('accounts.account_id', '=', accountId)
    // Expressions, so that the database uses the index of the identifier.
    for (const ids of definitionIds)
      query = query.where(sql`accounts.definition_id || ''`, 'in', [...ids])
    for (const keys of typeKeys)
      query = query.where(sql`definitions.type_key || ''`, 'in', [...keys])
    return query
  }
  const select = (access: WorkspaceAccess, scope: AccountScope) =>
    from(access, scope).select(COLUMNS)
  return {
    async count(access: WorkspaceAccess, scope: AccountScope): Promise<PortalCounts> {
      const row = await from(access, scope)
        .select(sql<number>`count(*)`.as('total'))
        .select(
          sql<number>`coalesce(sum(case when accounts.status = 'needs_reauth' then 1 else 0 end), 0)`.as(
            'broken',
          ),
        )
        .executeTakeFirstOrThrow()
      return { total: Number(row.total), broken: Number(row.broken) }
    },

    /** At most `limit` accounts, those first that have stopped working, then oldest first, after an account of the same customer. */
    async list(
      access: WorkspaceAccess,
      scope: AccountScope,
      page: { readonly limit: number; readonly after?: AccountId | undefined },
    ): Promise<PortalAccount[]> {
      const { limit, after } = page
      const last = after === undefined ? undefined : await this.find(access, scope, after)
      let query = select(access, scope)
        .orderBy(RANK)
        .orderBy('accounts.created_at')
        .orderBy('accounts.account_id')
        .limit(limit)
      if (last !== undefined)
        query = query.where((eb) =>
          eb.or([
            eb(RANK, '>', getRank(last.status)),
            eb.and([
              eb(RANK, '=', getRank(last.status)),
              isAfter(['accounts.created_at', 'accounts.account_id'], {
                createdAt: last.createdAt,
                id: last.accountId,
              }),
            ]),
          ]),
        )
      return (await query.execute()).map(toPortalAccount)
    },

    async find(
      access: WorkspaceAccess,
      scope: AccountScope,
      accountId: AccountId,
    ): Promise<PortalAccount | undefined> {
      const row = await select(access, scope)
        .where('accounts.account_id', '=', accountId)
        .executeTakeFirst()
      return row && toPortalAccount(row)
    },
  }
}

export type PortalAccountStore = ReturnType<typeof createPortalAccountStore>

/** What only the customer can repair comes first, then what the workspace has to repair. */
const RANK = sql<number>`case accounts.status when 'needs_reauth' then 0 when 'error' then 1 else 2 end`

function getRank(status: AccountStatus): number {
  return { needs_reauth: 0, error: 1, active: 2, pending: 2 }[status as 'active'] ?? 2
}

const COLUMNS = [
  'accounts.account_id',
  'accounts.name',
  'accounts.identity_label',
  'accounts.status',
  'accounts.status_reason',
  'accounts.created_at',
  'accounts.last_used_at',
  'accounts.agent_access',
  'definitions.key as definition_key',
  'definitions.name as definition_name',
  'definitions.release_stage',
  // A subquery, because PostgreSQL would read all icons of the workspace for a join.
  sql<string>`coalesce((select path from definition_icons where definition_icons.workspace_id = accounts.workspace_id and definition_icons.definition_id = accounts.definition_id), definitions.icon)`.as(
    'icon',
  ),
] as const

interface PortalRow
  extends Pick<
    AccountRow,
    | 'account_id'
    | 'name'
    | 'identity_label'
    | 'status'
    | 'status_reason'
    | 'created_at'
    | 'last_used_at'
    | 'agent_access'
  > {
  readonly definition_key: string
  readonly definition_name: string
  readonly release_stage: string
  readonly icon: string
}

function toPortalAccount(row: PortalRow): PortalAccount {
  return {
    accountId: row.account_id,
    name: row.name,
    identityLabel: row.identity_label,
    status: row.status as AccountStatus,
    isUnchecked: row.status_reason === UNCHECKED,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    agentAccess: row.agent_access,
    definition: {
      key: row.definition_key,
      name: row.definition_name,
      releaseStage: row.release_stage,
      icon: row.icon,
    },
  }
}

/** What a customer sees of one of their accounts. Times are epoch milliseconds. */
export interface PortalAccount {
  readonly accountId: AccountId
  readonly name: string
  /** The provider's name of the user who signed in; null if unknown. */
  readonly identityLabel: string | null
  readonly status: AccountStatus
  /** It was imported, and its credentials have not worked yet. */
  readonly isUnchecked: boolean
  readonly createdAt: number
  /** In steps of 15 minutes; null if the account has not been used. */
  readonly lastUsedAt: number | null
  /** How far the customer restricts what agents do; null: not. */
  readonly agentAccess: Account['agentAccess']
  readonly definition: Pick<Definition, 'key' | 'name' | 'releaseStage' | 'icon'>
}

/** How many accounts a customer has, and how many of them only the customer can repair (`needs_reauth`). */
export interface PortalCounts {
  readonly total: number
  readonly broken: number
}

/** The accounts of one customer, as far as a session may act on them. */
export interface AccountScope {
  readonly workspaceId: WorkspaceId
  /** Null: those without an identifier. */
  readonly accountIdentifier: string | null
  /** The only account; null: all of them. */
  readonly accountId: AccountId | null
  /** Accounts of a definition that is in each of these lists. */
  readonly definitionIds: readonly (readonly DefinitionId[])[]
  /** Accounts of a category that is in each of these lists. */
  readonly typeKeys: readonly (readonly string[])[]
}
