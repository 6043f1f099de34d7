import { join } from 'node:path'
import type { AccountId } from '../../src/accounts/accounts/account.ts'
import { recordAccountChange } from '../../src/accounts/accounts/account-records.ts'
import { SYSTEM_ACTOR } from '../../src/platform/record/change.ts'
import { newId } from '../../src/platform/storage/id.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import type { ServiceSetup } from './service-process.ts'

/** The identifier of the customer; the names of its accounts contain it. */
export const MARK = 'plant9c2'

/** Copies an account, with its event and audit entry, until the customer has `count` accounts. */
export async function fillCustomer(
  { databaseUrl, dataDir }: ServiceSetup,
  accountId: AccountId,
  count: number,
): Promise<void> {
  const database = await openDatabase({ url: databaseUrl, file: join(dataDir, 'linchpin.db') })
  const account = await database.read
    .selectFrom('accounts')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  for (let from = 1; from < count; from += BATCH)
    await database.transaction(async (trx) => {
      const now = Date.now()
      for (let index = from; index < Math.min(from + BATCH, count); index += 1) {
        const id = newId('acc', now)
        const name = `${account.name} ${index}`
        const copy = { ...account, account_id: id, name, response_json: null }
        await trx.insertInto('accounts').values(copy).execute()
        const action = 'account.created'
        await recordAccountChange(trx, SYSTEM_ACTOR, now, { action, accountId: id, type: action })
      }
    })
  await database.close()
}

const BATCH = 200
