import type { DefinitionId } from '../definitions/definition.ts'
import type { Id } from '../storage/id.ts'
import type { UserId } from '../users/user.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { AccountId, ReportedStatus } from './account.ts'

/** A tag that accounts must have. */
export interface TagFilter {
  readonly key: string
  readonly value: string
}

/** The orders of lists, as in the API: `-` is newest first. */
export const ACCOUNT_ORDERS = ['createdAt', '-createdAt', 'updatedAt', '-updatedAt'] as const
export type AccountOrder = (typeof ACCOUNT_ORDERS)[number]

/** Selects accounts of one workspace. Omitted members do not filter. Times are epoch milliseconds. */
export interface AccountListFilter {
  readonly workspaceId: WorkspaceId
  readonly definitionId?: DefinitionId | undefined
  readonly accountIdentifier?: string | undefined
  readonly linkId?: Id<'lnk'> | undefined
  readonly status?: ReportedStatus | undefined
  /** Only live accounts that have all of these tags. */
  readonly tags?: readonly TagFilter[] | undefined
  readonly includeDeleted?: boolean | undefined
  /** Absent: `createdAt`. Orders by the time of the last update are for lists that only `tags` and `includeDeleted` narrow. */
  readonly order?: AccountOrder | undefined
  /** Only accounts whose time in the order is later. */
  readonly after?: number | undefined
  /** Only accounts whose time in the order is this one or earlier. */
  readonly until?: number | undefined
}

/** The parameters of a page. */
export interface PageParams extends Omit<AccountListFilter, 'includeDeleted' | 'tags' | 'order'> {
  readonly [tag: `tag${'Key' | 'Value'}${number}`]: string
  readonly userId: UserId
  readonly limit: number
  readonly lastTime: number | undefined
  readonly lastId: AccountId | undefined
}

type Order = Pick<AccountListFilter, 'order'>

export const isNewestFirst = ({ order = 'createdAt' }: Order): boolean => order.startsWith('-')

export const isByUpdate = ({ order = 'createdAt' }: Order): boolean => order.endsWith('updatedAt')

/**
 * Whether the accounts are found by their first tag, in the order of its index. The accounts of an `accountIdentifier` are
 * fewer than those of a tag.
 */
export function isFoundByTag({ tags = [], accountIdentifier }: AccountListFilter): boolean {
  return tags.length > 0 && accountIdentifier === undefined
}
