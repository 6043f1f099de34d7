import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { AccountId, AccountStatus } from '../accounts/account.ts'

/** An account as an agent sees it in a list. */
export interface SessionAccount {
  readonly id: AccountId
  /** The name of its integration. */
  readonly tool: string
  readonly name: string
  /** The user who connected it; null if unknown. */
  readonly identity: string | null
  readonly status: AccountStatus
}

/** The accounts of agent sessions. */
export function createSessionAccountStore(database: Database) {
  return {
    /** The live ones of these accounts, oldest first. */
    async list(
      access: WorkspaceAccess,
      accountIds: readonly AccountId[],
    ): Promise<SessionAccount[]> {
      const rows = await database.read
        .selectFrom('accounts')
        .innerJoin('definitions', 'definitions.definition_id', 'accounts.definition_id')
        .select([
          'accounts.account_id',
          'definitions.name as tool',
          'accounts.name',
          'accounts.identity_id',
          'accounts.identity_label',
          'accounts.status',
        ])
        .where('accounts.account_id', 'in', accountIds)
        .where(isInAccessibleWorkspace(access, 'accounts'))
        .where('accounts.deleted_at', 'is', null)
        .orderBy('accounts.account_id')
        .execute()
      return rows.map(({ account_id, tool, name, identity_id, identity_label, status }) => ({
        id: account_id,
        tool,
        name,
        identity: identity_label ?? identity_id,
        status,
      }))
    },
  }
}

export type SessionAccountStore = ReturnType<typeof createSessionAccountStore>
