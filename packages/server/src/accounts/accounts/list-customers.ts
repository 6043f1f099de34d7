import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import {
  buildNextPageHeader,
  decodeCursor,
  encodeCursor,
  PaginationQuery,
  paginate,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject, Timestamp, toTimestamp } from '../../platform/http/schema.ts'
import { StatusCounts } from './count-accounts.ts'
import type { Customer, CustomerStore } from './customer-store.ts'

export interface ListCustomersDeps {
  readonly customers: CustomerStore
  readonly workspaces: WorkspaceStore
  readonly baseUrl: () => string
}

/** The query parameters of List customers. */
const ListCustomersQuery = StrictObject({
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the customers.' }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Only customers whose accountIdentifier begins with this text, in the same case.',
    }),
  ),
  limit: PaginationQuery.limit,
  cursor: Type.Optional(
    Type.String({
      // An identifier of 255 characters of four bytes.
      maxLength: 1_360,
      description: 'The cursor of the page, from the `Link` header of the previous one.',
    }),
  ),
})
type ListCustomersQuery = Static<typeof ListCustomersQuery>

const CustomerResponse = StrictObject(
  {
    accountIdentifier: Type.String({ description: 'The accountIdentifier of its accounts.' }),
    connections: Type.Integer({ minimum: 1, description: 'All of its live accounts.' }),
    byStatus: StatusCounts,
    firstAt: Timestamp('When the oldest of these accounts was created.'),
    lastAt: Timestamp('When the newest of these accounts was created.'),
  },
  {
    $id: 'Customer',
    description: 'The live accounts that have the same accountIdentifier.',
    examples: [
      {
        accountIdentifier: 'customer-41',
        connections: 3,
        byStatus: { active: 2, pending: 0, needs_reauth: 1, error: 0 },
        firstAt: '2026-10-01T09:30:00.000Z',
        lastAt: '2026-11-22T10:00:00.000Z',
      },
    ],
  },
)
type CustomerResponse = Static<typeof CustomerResponse>

export const listCustomersOperation = defineOperation({
  id: 'listCustomers',
  sdk: 'customers.list',
  method: 'GET',
  path: '/v1/customer',
  tag: 'Integration accounts',
  summary: 'List the customers of a workspace',
  description:
    'The accountIdentifiers of live accounts, in the order of their bytes, and the accounts of each by status. Paginate with `limit` (default 100) and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: ListCustomersQuery,
  response: listOf(CustomerResponse),
  returns: 'The customers.',
  errors: [],
  handle: async (deps: ListCustomersDeps, caller, { query }, reply) => {
    const { customers, next } = await listCustomers(deps, caller, query)
    const { originalUrl } = reply.request
    if (next !== undefined)
      reply.header('link', buildNextPageHeader(deps.baseUrl(), originalUrl, { cursor: next }))
    return customers
  },
})

/**
 * The customers of a workspace, by identifier (interface: List customers).
 *
 * @throws ApiError `workspace_not_accessible`, `invalid_parameter`
 */
export async function listCustomers(
  deps: ListCustomersDeps,
  caller: Caller,
  query: ListCustomersQuery,
): Promise<{ customers: CustomerResponse[]; next: string | undefined }> {
  const { limit = DEFAULT_LIMIT, cursor, q: prefix = '' } = query
  const after = cursor === undefined ? undefined : decodeCursor(cursor, IDENTIFIER)[0]
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const page = { workspaceId, prefix, after, limit: limit + 1 }
  const { items, last } = paginate(await deps.customers.list(caller, page), { limit })
  return {
    customers: items.map(serializeCustomer),
    next: last && encodeCursor(last.accountIdentifier),
  }
}

const DEFAULT_LIMIT = 100
/** The databases do not have the character U+0000. */
const IDENTIFIER = /^([^\0]{1,255})$/u

function serializeCustomer(customer: Customer): CustomerResponse {
  const { accountIdentifier, byStatus, firstAt, lastAt } = customer
  return {
    accountIdentifier,
    connections: Object.values(byStatus).reduce((sum, count) => sum + count, 0),
    byStatus,
    firstAt: toTimestamp(firstAt),
    lastAt: toTimestamp(lastAt),
  }
}
