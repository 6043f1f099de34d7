import { type Expression, type Kysely, sql } from 'kysely'
import { coversWorkspace, getTenant, type WorkspaceAccess } from '../../access/auth/caller.ts'
import { isOwnedWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { createTimedCache } from '../../platform/once.ts'
import type { Database, Param, PreparedQuery } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { AccountStatus } from './account.ts'
import type { TagFilter } from './account-list-filter.ts'

/** Selects live accounts of one workspace. Omitted members do not filter. */
export interface AccountCountFilter {
  readonly workspaceId: WorkspaceId
  readonly definitionId?: DefinitionId | undefined
  readonly linkId?: Id<'lnk'> | undefined
  /** Only accounts that have all of these tags. */
  readonly tags: readonly TagFilter[]
}

/** How many live accounts of a definition have a status. */
export interface AccountCountRow {
  readonly definitionId: DefinitionId
  readonly status: AccountStatus
  readonly count: number
}

interface CountParams {
  readonly [tag: `tag${'Key' | 'Value'}${number}`]: string
  readonly userId: UserId
  readonly workspaceId: WorkspaceId
  readonly definitionId: DefinitionId | undefined
  readonly linkId: Id<'lnk'> | undefined
}

type Shape = Pick<AccountCountFilter, 'definitionId' | 'linkId' | 'tags'>

/** Counts live accounts by definition and status, in the workspaces that the caller can access. */
export function createAccountCountStore(database: Database) {
  const prepared = new Map<string, PreparedQuery<CountParams, CountedRow>>()
  const prepareOnce = (shape: Shape) => {
    const key = [shape.definitionId !== undefined, shape.linkId !== undefined, shape.tags.length]
    const query =
      prepared.get(key.join()) ??
      database.prepare((db, param: Param<CountParams>) => selectCounts(db, param, shape))
    prepared.set(key.join(), query)
    return query
  }
  return {
    /** It reads an entry of an index for each account. */
    async count(access: WorkspaceAccess, filter: AccountCountFilter): Promise<AccountCountRow[]> {
      if (!coversWorkspace(access, filter.workspaceId)) return []
      const tags = filter.tags.flatMap(({ key, value }, index) => [
        [`tagKey${index}`, key],
        [`tagValue${index}`, value],
      ])
      const rows = await prepareOnce(filter).allLong(getTenant(access), {
        ...(Object.fromEntries(tags) as Record<`tagKey${number}`, string>),
        userId: access.userId,
        workspaceId: filter.workspaceId,
        definitionId: filter.definitionId,
        linkId: filter.linkId,
      })
      return rows.map(({ definition_id, status, count }) => ({
        definitionId: definition_id,
        status: status as AccountStatus,
        count: Number(count),
      }))
    },
  }
}

interface CountedRow {
  readonly definition_id: DefinitionId
  readonly status: string
  readonly count: number
}

function selectCounts(
  db: Kysely<Tables>,
  param: Param<CountParams>,
  { definitionId, linkId, tags }: Shape,
) {
  // As an expression, so that the database uses the index of the link or of the tag.
  const isFiltered = linkId !== undefined || tags.length > 0
  const definition = isFiltered
    ? sql<DefinitionId>`(definition_id || '')`
    : sql<DefinitionId>`definition_id`
  const value = (name: 'definitionId' | 'linkId') => param(name) as Expression<string>
  let query = db
    .selectFrom('accounts')
    .select(definition.as('definition_id'))
    .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
    .where('workspace_id', '=', param('workspaceId'))
    .where('deleted_at', 'is', null)
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .groupBy([definition, 'status'])
  if (definitionId !== undefined)
    query = query.where(sql<boolean>`${definition} = ${value('definitionId')}`)
  if (linkId !== undefined) query = query.where(sql<boolean>`link_id = ${value('linkId')}`)
  for (const index of tags.keys())
    query = query.where('account_id', 'in', (eb) =>
      eb
        .selectFrom('account_tags')
        .select('account_tags.account_id')
        .where('account_tags.workspace_id', '=', param('workspaceId'))
        .where('key', '=', param(`tagKey${index}`))
        .where('value', '=', param(`tagValue${index}`)),
    )
  return query
}

/** What counts once for all requests of a few seconds. */
export interface AccountCounts {
  /** The rows, and when they were counted, in epoch milliseconds. */
  read(
    access: WorkspaceAccess,
    filter: AccountCountFilter,
  ): Promise<{ readonly at: number; readonly rows: readonly AccountCountRow[] }>
}

/** Counts that are at most five seconds old, and never counted twice at the same time. */
export function createAccountCounts(
  store: ReturnType<typeof createAccountCountStore>,
  now: () => number,
): AccountCounts {
  const readOnce = createTimedCache<Awaited<ReturnType<AccountCounts['read']>>>({
    maxAgeMs: MAX_AGE_MS,
    maxEntries: MAX_COUNTED,
    now,
  })
  return {
    read(access, filter) {
      const { workspaceId, definitionId, linkId, tags } = filter
      const key = JSON.stringify([access.userId, workspaceId, definitionId, linkId, tags])
      return readOnce(key, async () => {
        const at = now()
        return { at, rows: await store.count(access, filter) }
      })
    },
  }
}

const MAX_AGE_MS = 5_000
const MAX_COUNTED = 1_000
