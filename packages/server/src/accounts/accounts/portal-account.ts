import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Definition, DefinitionId } from '../../integrations/definitions/definition.ts'
import type { AccountId, AccountStatus } from './account.ts'

/** What a customer sees of one of their accounts. Times are epoch milliseconds. */
export interface PortalAccount {
  readonly accountId: AccountId
  readonly name: string
  /** The provider's name of the user who signed in; null if unknown. */
  readonly identityLabel: string | null
  readonly status: AccountStatus
  readonly createdAt: number
  /** In steps of 15 minutes; null if the account has not been used. */
  readonly lastUsedAt: number | null
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
