import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/record/change.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { Account, AccountUpdate, NewAccount } from './account.ts'
import { recordAccountChange, recordFactsChange } from './account-records.ts'
import type { AccountStore } from './account-store.ts'

/** New credentials of an account that exists. */
export type ReplacingCredentials = AccountUpdate &
  Pick<NewAccount, 'authType' | 'status' | 'identityId' | 'facts'>

/** Who reconnects an account, through what, and when. */
export interface Reconnect {
  readonly access: WorkspaceAccess
  readonly actor: Actor
  readonly definitionId: DefinitionId
  readonly linkId: Id<'lnk'> | null
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Stores the new credentials of a reconnected account, and records the change. A token refresh since the account was read is no
 * conflict, because the tokens are replaced anyway; a refresh in progress loses its lease. Returns the account as it was before.
 *
 * @throws ApiError `concurrent_update` when anything else has changed
 */
export async function reconnectAccount(
  { accounts }: { readonly accounts: AccountStore },
  trx: Transaction,
  { access, actor, definitionId, linkId, now }: Reconnect,
  previous: Account,
  credentials: ReplacingCredentials,
): Promise<Account> {
  const row = await reloadIfUnchanged(accounts, access, previous, trx)
  const change: AccountUpdate = {
    ...credentials,
    credentialVersion: (row ?? previous).credentialVersion + 1,
    leaseOwner: null,
    leaseUntil: null,
    confirmHash: null,
    confirmUntil: null,
    updatedAt: now,
  }
  if (row === undefined || !(await accounts.update(trx, access, row, change)))
    throw new ApiError(
      'concurrent_update',
      'The account was modified or deleted by another request. The reconnect was not stored.',
    )
  const { authType, status, identityId, facts } = credentials
  const action = 'account.reconnected'
  const data = { identityChanged: isIdentityChanged(previous.identityId, identityId) }
  await recordAccountChange(trx, actor, now, {
    action,
    accountId: previous.accountId,
    detail: { definitionId, linkId, authType, status, ...data },
    type: action,
    data,
  })
  await recordFactsChange(trx, actor, now, previous, facts)
  return row
}

/** Undefined when more than the tokens has changed. A token refresh does not change `updated_at`. */
async function reloadIfUnchanged(
  accounts: AccountStore,
  access: WorkspaceAccess,
  previous: Account,
  trx: Transaction,
): Promise<Account | undefined> {
  const row = await accounts.findWithCredentials(trx, access, previous.accountId)
  if (row === undefined || row.deletedAt !== null) return undefined
  const isSame =
    row.credentialVersion === previous.credentialVersion || row.updatedAt === previous.updatedAt
  return isSame ? row : undefined
}

/** Null if the identity before or the new one is unknown. */
function isIdentityChanged(before: string | null, after: string | null): boolean | null {
  return before === null || after === null ? null : before !== after
}
