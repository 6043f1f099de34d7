import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { findDefinitionId } from '../../integrations/definitions/find-definition.ts'
import { definitionReference } from '../../integrations/definitions/schemas.ts'
import { IdOf, StrictObject, Timestamp, toTimestamp } from '../../platform/http/schema.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { ACCOUNT_STATUSES, type AccountStatus } from './account.ts'
import type { AccountCountRow, AccountCounts } from './account-count-store.ts'
import { listSuspectDefinitions } from './health/definition-breaker-store.ts'
import { parseTag, tagFilters } from './list-accounts.ts'

export interface CountAccountsDeps {
  readonly accountCounts: AccountCounts
  readonly database: Pick<Database, 'read'>
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly now: () => number
}

/** The query parameters of Count integration accounts. */
const CountAccountsQuery = StrictObject({
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the accounts.' }),
  ),
  integrationDefinitionId: Type.Optional(definitionReference('Only accounts of this definition')),
  linkId: Type.Optional(
    IdOf<Id<'lnk'>>({ maxLength: 64, description: 'Only accounts created through this link.' }),
  ),
  tag: tagFilters('accounts'),
})
type CountAccountsQuery = Static<typeof CountAccountsQuery>

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** How many accounts have each status. */
export const StatusCounts = StrictObject(
  {
    active: count('Accounts with the status `active`.'),
    pending: count('Accounts with the status `pending`.'),
    needs_reauth: count('Accounts with the status `needs_reauth`.'),
    error: count('Accounts with the status `error`.'),
  },
  { description: 'The numbers of live accounts by status.' },
)

const AccountCount = StrictObject(
  {
    total: count('All of these accounts.'),
    byStatus: StatusCounts,
    byDefinition: Type.Array(
      StrictObject({
        integrationDefinitionId: IdOf<DefinitionId>({
          description: 'Identifier of the definition.',
        }),
        count: count('All accounts of the definition.'),
        byStatus: StatusCounts,
        isSuspect: Type.Boolean({
          description:
            'Whether the provider rejects so many accounts that rejections change no status: see Get the health of a definition.',
        }),
      }),
      { description: 'The same for each definition with accounts; those with most come first.' },
    ),
    at: Timestamp(
      'When the accounts were counted: at most 5 seconds ago, or ten times as long ago as counting took.',
    ),
  },
  {
    $id: 'AccountCount',
    examples: [
      {
        total: 12,
        byStatus: { active: 11, pending: 0, needs_reauth: 1, error: 0 },
        byDefinition: [
          {
            integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
            count: 12,
            byStatus: { active: 11, pending: 0, needs_reauth: 1, error: 0 },
            isSuspect: false,
          },
        ],
        at: '2026-11-22T10:00:00.000Z',
      },
    ],
  },
)
type AccountCount = Static<typeof AccountCount>

export const countAccountsOperation = defineOperation({
  id: 'countAccounts',
  sdk: 'accounts.count',
  method: 'GET',
  path: '/v1/integration_account/count',
  tag: 'Integration accounts',
  summary: 'Count the integration accounts of a workspace',
  description:
    'Counts live accounts by status and by definition, at most once in 5 seconds, and less often if counting takes longer than half a second.',
  scope: 'read',
  query: CountAccountsQuery,
  response: AccountCount,
  returns: 'The numbers of accounts.',
  errors: [],
  handle: (deps: CountAccountsDeps, caller, { query }) => countAccounts(deps, caller, query),
})

/** Counts the live accounts of a workspace (interface: Count integration accounts). @throws ApiError `workspace_not_accessible` */
export async function countAccounts(
  deps: CountAccountsDeps,
  caller: Caller,
  query: CountAccountsQuery,
): Promise<AccountCount> {
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { integrationDefinitionId: definition, linkId, tag = [] } = query
  const definitionId = definition && (await findDefinitionId(deps, caller, workspaceId, definition))
  if (definition !== undefined && !definitionId) return toAccountCount([], [], deps.now())
  const { rows, at } = await deps.accountCounts.read(caller, {
    workspaceId,
    definitionId: definitionId || undefined,
    linkId,
    tags: tag.map(parseTag),
  })
  const suspects = await listSuspectDefinitions(deps.database.read, workspaceId)
  return toAccountCount(rows, suspects, at)
}

function toAccountCount(
  rows: readonly AccountCountRow[],
  suspects: readonly DefinitionId[],
  at: number,
): AccountCount {
  const byDefinition = [...Map.groupBy(rows, (row) => row.definitionId)].map(
    ([integrationDefinitionId, own]) => ({
      integrationDefinitionId,
      count: addUp(own),
      byStatus: countStatuses(own),
      isSuspect: suspects.includes(integrationDefinitionId),
    }),
  )
  return {
    total: addUp(rows),
    byStatus: countStatuses(rows),
    byDefinition: byDefinition.toSorted(
      (a, b) =>
        b.count - a.count || (a.integrationDefinitionId < b.integrationDefinitionId ? -1 : 1),
    ),
    at: toTimestamp(at),
  }
}

function countStatuses(rows: readonly AccountCountRow[]) {
  const counts = ACCOUNT_STATUSES.map((status) => [
    status,
    addUp(rows.filter((row) => row.status === status)),
  ])
  return Object.fromEntries(counts) as Record<AccountStatus, number>
}

function addUp(rows: readonly AccountCountRow[]): number {
  return rows.reduce((sum, row) => sum + row.count, 0)
}
