import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { describePostgres } from '../../../test/postgres.ts'
import { createAccountStore } from '../../accounts/accounts/account-store.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import { openDatabase } from '../../platform/storage/open-database.ts'
import { insertSampleRows } from '../../platform/storage/test/test-database.ts'
import { assertLinkAccepts } from '../links/link-policy.ts'
import { toLink } from '../links/link-store.ts'
import { createLimitLock } from './create-account-through-link.ts'

describePostgres('Links with limits on several nodes', (server) => {
  const createNode = async (t: TestContext, url: string) => {
    const database = await openDatabase({ url })
    t.after(() => database.close())
    return {
      database,
      withLimitLock: createLimitLock(),
      accounts: createAccountStore(database),
      now: Date.now,
    }
  }

  it('limited links accept exactly as many concurrent accounts as allowed, without conflicts', async (t) => {
    const url = await server().createDatabase('turns')
    const nodes = [await createNode(t, url), await createNode(t, url), await createNode(t, url)]
    await nodes[0]?.database.migrate()
    const { link, account } = await setUpLink(nodes[0]?.database, 30)
    const addAccount = async ({
      database,
      withLimitLock,
      ...deps
    }: Awaited<ReturnType<typeof createNode>>) => {
      const row = { ...account, account_id: newId('acc', Date.now()), confirm_hash: null }
      const store = () =>
        database.transaction(
          async (trx) => {
            await assertLinkAccepts(deps, trx, link, null)
            await trx.insertInto('accounts').values(row).execute()
          },
          { serializable: true },
        )
      return withLimitLock(link, store).then(
        () => 'added',
        (error) => (error instanceof ApiError ? error.code : String(error)),
      )
    }
    const attempts = nodes.flatMap((one) => Array.from({ length: 15 }, () => addAccount(one)))
    const outcomes = await Promise.all(attempts)
    assert.deepEqual(outcomes.toSorted(), [
      ...Array(30).fill('added'),
      ...Array(15).fill('link_full'),
    ])
  })
})

/** The sample link, open, with this limit and no accounts. */
async function setUpLink(database: Database | undefined, max: number) {
  assert.ok(database)
  const { links, accounts } = await insertSampleRows(database)
  const change = {
    max_accounts: max,
    max_accounts_per_identifier: null,
    revoked_at: null,
    expires_at: null,
  }
  await database.transaction(async (trx) => {
    await trx.deleteFrom('accounts').execute()
    await trx.updateTable('links').set(change).execute()
  })
  const account = { ...accounts, link_id: links.link_id, deleted_at: null }
  return { link: toLink({ ...links, ...change }), account }
}
