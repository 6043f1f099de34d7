import { sql } from 'kysely'
import type { Database } from '../../../../platform/storage/database.ts'
import { newId } from '../../../../platform/storage/id.ts'
import { jsonRows } from '../../../../platform/storage/portable-sql.ts'
import type { Vault } from '../../../../platform/vault/vault.ts'
import type { AccountId } from '../../account.ts'
import { createEncryptionContext } from '../../credentials/account-config.ts'
import { getFirstRefreshToken } from './counting-provider.ts'

/** What a filled account has beyond its model. */
export interface FilledAccount {
  /** The name of its grant at the provider. */
  readonly grant: string
  readonly refreshAt: number
  readonly tokenHost?: string | null
}

/** Inserts copies of an account, each with a sealed grant of its own. Returns their ids. */
export async function fillOAuthAccounts(
  { database, vault }: { readonly database: Database; readonly vault: Vault },
  model: AccountId,
  accounts: readonly FilledAccount[],
): Promise<AccountId[]> {
  const { workspace_id: workspaceId } = await database.read
    .selectFrom('accounts')
    .select('workspace_id')
    .where('account_id', '=', model)
    .executeTakeFirstOrThrow()
  const rows = await Promise.all(
    accounts.map(async ({ grant, refreshAt, tokenHost = null }) => {
      const accountId = newId('acc', Date.now())
      const config = {
        refresh_token: getFirstRefreshToken(grant),
        access_token: `access-${grant}.0`,
      }
      const context = createEncryptionContext({ workspaceId, accountId })
      const sealed = Buffer.from(await vault.seal(context, JSON.stringify(config))).toString('hex')
      return { id: accountId, sealed, refresh_at: refreshAt, host: tokenHost }
    }),
  )
  const columns = await listCopiedColumns(database, model)
  const types = { id: 'text', sealed: 'text', refresh_at: 'bigint', host: 'text' } as const
  const from = jsonRows(database, types, rows, 'filled')
  const bytes = sql.raw(database.dialect === 'postgres' ? "decode(sealed, 'hex')" : 'unhex(sealed)')
  await database.transaction(async (trx) => {
    await sql`insert into accounts (account_id, sealed_config, ${sql.join(columns)})
      select filled.id, ${bytes}, ${sql.join(columns)} from ${from}
      join accounts on accounts.account_id = ${model}`.execute(trx)
    await sql`insert into account_tokens
        (workspace_id, account_id, token_expires_at, refresh_at, refresh_failures, token_host)
      select ${workspaceId}, id, refresh_at + 600000, refresh_at, 0, host from ${from}`.execute(trx)
  })
  return rows.map(({ id }) => id)
}

async function listCopiedColumns(database: Database, model: AccountId) {
  const row = await database.read
    .selectFrom('accounts')
    .selectAll()
    .where('account_id', '=', model)
    .executeTakeFirstOrThrow()
  // The stored response names the model.
  const own = ['account_id', 'sealed_config', 'response_json', 'response_schema']
  return Object.keys(row)
    .filter((column) => !own.includes(column))
    .map((column) => sql.ref(column))
}
