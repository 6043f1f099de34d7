import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { definitionReference } from '../../integrations/definitions/schemas.ts'
import { fieldError, invalidParameter } from '../../platform/errors.ts'
import { PaginationQuery } from '../../platform/http/pagination.ts'
import { IdOf, StrictObject } from '../../platform/http/schema.ts'
import type { Id } from '../../platform/storage/id.ts'
import { REPORTED_STATUSES, type ReportedStatus } from './account.ts'
import {
  ACCOUNT_ORDERS,
  type AccountListFilter,
  type AccountOrder,
  isByUpdate,
  type TagFilter,
} from './account-list-filter.ts'

const MAX_TAG_FILTERS = 5

/** The query parameters of List integration accounts. */
export const ListAccountsQuery = StrictObject({
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the accounts.' }),
  ),
  integrationDefinitionId: Type.Optional(definitionReference('Only accounts of this definition')),
  accountIdentifier: Type.Optional(
    Type.String({ maxLength: 255, description: 'Only accounts with this accountIdentifier.' }),
  ),
  linkId: Type.Optional(
    IdOf<Id<'lnk'>>({ maxLength: 64, description: 'Only accounts created through this link.' }),
  ),
  status: Type.Optional(
    Type.Unsafe<ReportedStatus>({
      type: 'string',
      enum: [...REPORTED_STATUSES],
      description: 'Only accounts with this status; `deleted` lists the tombstones.',
    }),
  ),
  tag: Type.Optional(
    Type.Array(Type.String({ maxLength: 320, pattern: '^[A-Za-z0-9_.-]{1,64}:' }), {
      maxItems: MAX_TAG_FILTERS,
      description:
        'Only live accounts with this tag, such as `plan:pro`. Repeat the parameter for accounts that have all of several tags, at most 5.',
    }),
  ),
  includeDeleted: Type.Optional(
    Type.Boolean({ description: 'Include deleted accounts (tombstones).' }),
  ),
  createdAfter: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only accounts created after this time.' }),
  ),
  updatedAfter: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only accounts updated after this time, in the order of their updates.',
    }),
  ),
  order: Type.Optional(
    Type.Unsafe<AccountOrder>({
      type: 'string',
      enum: [...ACCOUNT_ORDERS],
      description:
        'Oldest first, or with `-` newest first. Default: `updatedAt` with `updatedAfter`, otherwise `createdAt`.',
    }),
  ),
  ...PaginationQuery,
})
export type ListAccountsQuery = Static<typeof ListAccountsQuery>

/**
 * The order and its earliest time. The time of another order would have to read accounts that it does not return.
 *
 * @throws ApiError `invalid_parameter`
 */
export function parseOrder(query: ListAccountsQuery): Pick<AccountListFilter, 'order' | 'after'> {
  const { createdAfter, updatedAfter } = query
  const order = query.order ?? (updatedAfter === undefined ? 'createdAt' : 'updatedAt')
  const isUpdateOrder = isByUpdate({ order })
  const [own, other] = isUpdateOrder ? [updatedAfter, createdAfter] : [createdAfter, updatedAfter]
  if (other !== undefined)
    throw invalidParameter(
      fieldError(
        isUpdateOrder ? 'createdAfter' : 'updatedAfter',
        'invalid',
        `Must not be used with the order ${order}.`,
      ),
    )
  return { order, after: own === undefined ? undefined : Date.parse(own) }
}

/** A tag of the filter. The first colon ends its key. */
export function parseTag(tag: string): TagFilter {
  const colon = tag.indexOf(':')
  return { key: tag.slice(0, colon), value: tag.slice(colon + 1) }
}
