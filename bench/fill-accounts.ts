import type { WorkspaceId } from '../packages/server/src/access/workspaces/workspace.ts'
import {
  type AccountId,
  type NewAccount,
  toNewAccount,
} from '../packages/server/src/accounts/accounts/account.ts'
import { createAccountStore } from '../packages/server/src/accounts/accounts/account-store.ts'
import type { Database } from '../packages/server/src/platform/storage/database.ts'
import { newId } from '../packages/server/src/platform/storage/id.ts'
import { openDatabase } from '../packages/server/src/platform/storage/open-database.ts'

/** Which accounts to add to the database of a stopped service. */
export interface FillOptions {
  /** The SQLite file; ignored with `url`. */
  readonly file: string
  /** PostgreSQL. */
  readonly url: string | undefined
  /** The account to copy, of the owner. */
  readonly accountId: AccountId
  /** Half of the accounts go here; undefined if all stay in the workspace of the account. */
  readonly otherWorkspaceId: WorkspaceId | undefined
  readonly count: number
}

/** Accounts of one `accountIdentifier`. */
const ACCOUNTS_PER_CUSTOMER = 10
const BATCH = 1_000

/** Adds copies of an account through the store, so that they have all that an account of an API call has. */
export async function fillAccounts(options: FillOptions): Promise<void> {
  const database = await openDatabase(options)
  try {
    const template = await readTemplate(database, options.accountId)
    const { insert } = createAccountStore(database)
    const firstAt = template.createdAt - options.count
    for (let from = 0; from < options.count; from += BATCH)
      await database.transaction(async (trx) => {
        const end = Math.min(from + BATCH, options.count)
        for (let index = from; index < end; index += 1)
          await insert(trx, copyAccount(template, options, index, firstAt + index))
      })
  } finally {
    await database.close()
  }
}

async function readTemplate(database: Database, accountId: AccountId): Promise<NewAccount> {
  const accounts = createAccountStore(database)
  const { user_id: userId } = await database.read
    .selectFrom('accounts')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'accounts.workspace_id')
    .select('workspaces.user_id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const access = { userId, boundWorkspaceId: null }
  const account = await accounts.find(access, accountId)
  const withCredentials = await accounts.findWithCredentials(database.read, access, accountId)
  if (account === undefined || withCredentials === undefined)
    throw new Error(`no account ${accountId}`)
  return toNewAccount({ ...withCredentials, ...account })
}

/** Of 200 accounts, four are not active, all in the workspace of the template. */
const STATUSES: Readonly<Record<number, Pick<NewAccount, 'status' | 'statusReason'>>> = {
  0: { status: 'needs_reauth', statusReason: 'invalid_grant' },
  2: { status: 'error', statusReason: 'invalid_client' },
  4: { status: 'pending', statusReason: null },
  6: { status: 'needs_reauth', statusReason: 'credentials_rejected' },
}

function copyAccount(
  template: NewAccount,
  { otherWorkspaceId }: FillOptions,
  index: number,
  createdAt: number,
): NewAccount {
  return {
    ...template,
    accountId: newId('acc', createdAt),
    workspaceId: (index % 2 === 0 ? undefined : otherWorkspaceId) ?? template.workspaceId,
    name: `Support desk ${index}`,
    accountIdentifier: `customer-${Math.floor(index / ACCOUNTS_PER_CUSTOMER)}`,
    ...(STATUSES[index % 200] ?? { status: 'active', statusReason: null }),
    createdAt,
    updatedAt: createdAt,
  }
}

/** Ids of `count` accounts from all over the database. */
export async function sampleAccountIds(
  options: Pick<FillOptions, 'file' | 'url'>,
  count: number,
): Promise<string[]> {
  const database = await openDatabase(options)
  try {
    const rows = await database.read
      .selectFrom('accounts')
      .select('account_id')
      .where('account_id', 'like', 'acc_%0')
      .execute()
    const step = Math.max(1, Math.floor(rows.length / count))
    const ids = rows.filter((_, index) => index % step === 0).map((row) => row.account_id)
    return ids.slice(0, count).sort((a, b) => (a.slice(-8) < b.slice(-8) ? -1 : 1))
  } finally {
    await database.close()
  }
}
