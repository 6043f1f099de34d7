import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import type { Id } from '../../platform/storage/id.ts'
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
  /** Only live accounts. */
  readonly oauthAppId?: OAuthAppId | undefined
  /** Only live accounts of this user of the provider. */
  readonly identityId?: string | undefined
  /** Only live accounts whose credentials the provider has not accepted since this time, or never. */
  readonly lastOkBefore?: number | undefined
  /** Accounts with any of these. */
  readonly statuses?: readonly ReportedStatus[] | undefined
  readonly status?: ReportedStatus | undefined
  /** Only live accounts whose name, identifier or user contains this text, in lower case. Needs the order `-createdAt`. */
  readonly search?: string | undefined
  /** Only live accounts that have all of these tags. */
  readonly tags?: readonly TagFilter[] | undefined
  /** Only live accounts that lack this scope. */
  readonly missingScope?: string | undefined
  readonly includeDeleted?: boolean | undefined
  /** Absent: `createdAt`. */
  readonly order?: AccountOrder | undefined
  /** Only accounts whose time in the order is later. */
  readonly after?: number | undefined
  /** Only accounts whose time in the order is this one or earlier. */
  readonly until?: number | undefined
}

/** The parameters of a page. */
export interface PageParams
  extends Omit<AccountListFilter, 'includeDeleted' | 'tags' | 'order' | 'statuses'> {
  readonly [tag: `tag${'Key' | 'Value'}${number}`]: string
  readonly userId: UserId
  readonly limit: number
  readonly lastTime: number | undefined
  readonly lastId: AccountId | undefined
  readonly endTime?: number | undefined
  readonly endId?: string | undefined
  readonly offset?: number | undefined
}

type Order = Pick<AccountListFilter, 'order'>

export const isNewestFirst = ({ order = 'createdAt' }: Order): boolean => order.startsWith('-')

export const isByUpdate = ({ order = 'createdAt' }: Order): boolean => order.endsWith('updatedAt')

/** What selects accounts: one of the tags by its position, a column, several statuses, their last success, a part of their text, or that they are deleted. */
export type Condition =
  | Entries
  | ConditionColumn
  | 'statuses'
  | 'lastOkBefore'
  | 'search'
  | 'deleted'
/** The conditions whose accounts another table lists. */
export type Entries = `tag${number}` | 'missingScope'
export type ConditionColumn =
  | 'accountIdentifier'
  | 'status'
  | 'linkId'
  | 'oauthAppId'
  | 'definitionId'
  | 'identityId'

export const isTag = (condition: Condition | undefined): condition is `tag${number}` =>
  condition !== undefined && /^tag\d+$/.test(condition)

export const hasEntries = (condition: Condition | undefined): condition is Entries =>
  condition === 'missingScope' || isTag(condition)

/** The conditions of a filter, those that select the fewest accounts first, as far as one can know without counting. */
export function listConditions(filter: AccountListFilter): Condition[] {
  const { tags = [], status, statuses, search, missingScope } = filter
  const has = (name: ConditionColumn): Condition[] => (filter[name] === undefined ? [] : [name])
  return [
    ...has('identityId'),
    ...has('accountIdentifier'),
    ...(missingScope === undefined ? [] : (['missingScope'] as const)),
    ...tags.map((_, index): Condition => `tag${index}`),
    ...(status === 'active' || status === 'deleted' ? [] : has('status')),
    ...has('linkId'),
    ...has('oauthAppId'),
    ...has('definitionId'),
    ...(status === 'active' ? has('status') : []),
    ...(status === 'deleted' ? (['deleted'] as const) : []),
    ...(statuses === undefined ? [] : (['statuses'] as const)),
    ...(filter.lastOkBefore === undefined ? [] : (['lastOkBefore'] as const)),
    ...(search === undefined ? [] : (['search'] as const)),
  ]
}

/** Whether a filter asks for what only live accounts have: tags, scopes that they lack, a user, credentials, or text to search in. */
export function isOfLiveAccounts(filter: AccountListFilter): boolean {
  const { search, identityId, lastOkBefore, oauthAppId } = filter
  const others = [search, identityId, lastOkBefore, oauthAppId]
  return others.some((each) => each !== undefined) || listConditions(filter).some(hasEntries)
}

/** Which accounts a filter selects. */
export function getLifeFilter(filter: AccountListFilter): 'live' | 'deleted' | 'both' {
  const { status, statuses, includeDeleted } = filter
  if (status === 'deleted') return 'deleted'
  if (isOfLiveAccounts(filter) || status !== undefined) return 'live'
  return (statuses === undefined ? includeDeleted === true : statuses.includes('deleted'))
    ? 'both'
    : 'live'
}

/** The condition of the index that has accounts in the order of the filter; undefined: that of the whole workspace. */
export function getOrderedCondition(filter: AccountListFilter): Condition | undefined {
  const conditions = listConditions(filter)
  const life = getLifeFilter(filter)
  const tag = conditions.find(isTag)
  if (filter.search !== undefined) return 'search'
  if (isByUpdate(filter)) return tag
  if (life === 'live')
    return filter.accountIdentifier === undefined
      ? (conditions.find(hasEntries) ?? conditions.find((each) => !WITHOUT_ORDER.has(each)))
      : 'accountIdentifier'
  return life === 'deleted' ? 'deleted' : undefined
}

/** No index has these accounts in an order of lists. */
const WITHOUT_ORDER: ReadonlySet<Condition> = new Set(['statuses', 'identityId', 'lastOkBefore'])

/** Whether one index has exactly the accounts that the filter selects, in its order. */
export function isIndexed(filter: AccountListFilter): boolean {
  const [first, ...others] = listConditions(filter)
  return others.length === 0 && first !== 'search' && first === getOrderedCondition(filter)
}
