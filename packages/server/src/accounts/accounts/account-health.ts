import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { toTimestamp } from '../../platform/http/schema.ts'
import {
  defineResource,
  flag,
  id,
  integer,
  nullable,
  type RowOf,
  time,
  type ValuesOf,
} from '../../platform/storage/define-resource.ts'
import type { Id } from '../../platform/storage/id.ts'

/**
 * What uses and checks prove of the credentials of an account. A table of its own, because it changes with each of them and is
 * indexed by these times: a row of `accounts` is long and has many indexes, which PostgreSQL would all write again.
 */
const healthFields = {
  /** When the provider last accepted the credentials: in a use, in steps of 15 minutes, in a check, or in a refresh. Null if unknown. */
  lastOkAt: { column: 'last_ok_at', type: nullable(time()) },
  /** When the provider last said, in a check, whether the credentials work; null if unknown. */
  checkedAt: { column: 'checked_at', type: nullable(time()) },
  /** When the check loop looks at the account again: it checks what no use has proven until then. Null: it has to decide when. */
  checkAt: { column: 'check_at', type: nullable(time()) },
  /** Checks in a row that the provider has not answered. */
  failures: { column: 'failures', type: integer() },
  /** Rejections since the provider last accepted the credentials: the second one counts. */
  rejections: { column: 'rejections', type: integer() },
  /** When a rejection last counted, or would have; null once the provider has accepted the credentials since. */
  rejectedAt: { column: 'rejected_at', type: nullable(time()) },
  /** Whether the definition was suspect then, so that another check has to decide. */
  isHeld: { column: 'is_held', type: flag() },
  /** When the provider was last asked who the user is; null if never. */
  identityAt: { column: 'identity_at', type: nullable(time()) },
  /** The digest of the bundle that has asked; null if unknown. */
  identitySource: { column: 'identity_source', type: nullable(id<string>()) },
} as const

export const STORED_HEALTH = defineResource(healthFields)
export type StoredHealth = ValuesOf<typeof healthFields>
/** All columns of `account_health` but its keys. */
export type StoredHealthColumns = RowOf<typeof healthFields>

/** The health of an account. */
export interface AccountHealthRow extends StoredHealthColumns {
  account_id: Id<'acc'>
  workspace_id: WorkspaceId
  definition_id: DefinitionId
}

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    account_health: AccountHealthRow
  }
}

/** What responses show of the checks of an account with this status. Only one that can be used is checked, or one that is held. */
export function describeChecks(
  status: string,
  { checkAt, rejections, isHeld }: Pick<StoredHealth, 'checkAt' | 'rejections' | 'isHeld'>,
) {
  const isChecked = checkAt !== null && (status === 'active' || isHeld)
  return { rejections, nextCheckAt: isChecked ? toTimestamp(checkAt) : null }
}
