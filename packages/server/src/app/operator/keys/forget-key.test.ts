import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { cutDatabase } from '../../../platform/storage/test/cut-database.ts'
import { openTemporaryDatabase } from '../../../platform/storage/test/test-database.ts'
import { inspectDataKeys } from '../../../platform/vault/data-keys.ts'
import { generateKey } from '../../../platform/vault/test/test-keys.ts'
import { createVault } from '../../../platform/vault/vault.ts'
import { forgetKey, KeyAvailableError } from './forget-key.ts'
import { addSealedRows, openAll } from './test/sealed-rows.ts'

describeOnBothDatabases('keys forget', (newUrl) => {
  const now = () => 1_800_000_000_000
  const [lost, kept] = [generateKey('lost'), generateKey('kept')]

  /** Two workspaces under the lost key, and one under the other. */
  async function fill(t: TestContext) {
    const database = await openTemporaryDatabase(t, { url: await newUrl() })
    const before = createVault({ database, keys: [lost, kept], now })
    await before.verify()
    const rows = await addSealedRows(database, before)
    await addSealedRows(database, before)
    const other = await addSealedRows(database, createVault({ database, keys: [kept, lost], now }))
    const vault = createVault({ database, keys: [kept], now })
    return { database, rows, other, vault }
  }

  const forget = (database: Database, onLost: (column: string) => void = () => {}) =>
    forgetKey({ database, keys: [kept], now, onLost }, 'lost')

  it('a start names the command until the key is forgotten, and works then', async (t) => {
    const { database, vault } = await fill(t)
    await assert.rejects(vault.verify(), /lacks lost.*linchpin keys forget lost --accept-loss/)
    assert.deepEqual(
      (await inspectDataKeys(database, [kept])).keys.map(({ keyId, ...use }) => [keyId, use]),
      [
        ['kept', { isInRing: true, dataKeys: 1, unreadable: 0 }],
        ['lost', { isInRing: false, dataKeys: 3, unreadable: 3 }],
      ],
    )
    // With the workspace of the installation's own keys.
    assert.equal(await forget(database), 3)
    await vault.verify()
    assert.equal(await forget(database), 0, 'is idempotent')
    const report = await inspectDataKeys(database, [kept])
    assert.deepEqual(report, {
      keys: [{ keyId: 'kept', isInRing: true, dataKeys: 4, unreadable: 0 }],
      unfinished: 0,
    })
  })

  it('refuses while the key is in the ring', async (t) => {
    const { database } = await fill(t)
    const deps = { database, keys: [kept, lost] as const, now, onLost: () => {} }
    await assert.rejects(forgetKey(deps, 'lost'), KeyAvailableError)
    await createVault({ database, keys: [kept, lost], now }).verify()
  })

  it('asks to reconnect the accounts, disables webhook endpoints, and keeps what needs no key', async (t) => {
    const { database, rows, other, vault } = await fill(t)
    const links = await database.read.selectFrom('links').selectAll().execute()
    const lostColumns = new Set<string>()
    await forget(database, (column) => lostColumns.add(column))
    assert.equal(lostColumns.size, 12, 'headers of accounts are lost with the accounts')
    const opened = await openAll(database, vault)
    assert.deepEqual(
      Object.values(opened).filter((text) => /Error/.test(text)),
      [],
      'no value is left that cannot be opened',
    )
    const { account_id } = rows.accounts
    const account = await database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', account_id)
      .executeTakeFirstOrThrow()
    assert.deepEqual([account.status, account.status_reason], ['needs_reauth', 'key_lost'])
    assert.equal(
      opened[`accounts.sealed_config ${account.workspace_id} ${account_id}`],
      account.public_config,
    )
    const [change] = await database.read
      .selectFrom('account_changes')
      .select(['status', 'reason'])
      .where('account_id', '=', account_id)
      .execute()
    assert.deepEqual({ ...change }, { status: 'needs_reauth', reason: 'key_lost' })
    const untouched = await database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', other.accounts.account_id)
      .executeTakeFirstOrThrow()
    assert.equal(untouched.status, 'active')
    assert.match(
      opened[`accounts.sealed_config ${untouched.workspace_id} ${untouched.account_id}`] ?? '',
      /^secret of/,
    )
    const app = await database.read
      .selectFrom('oauth_apps')
      .select(['secret_origins', 'allowed_hosts', 'client_id'])
      .where('oauth_app_id', '=', rows.oauth_apps.oauth_app_id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      { ...app },
      { secret_origins: '[]', allowed_hosts: null, client_id: rows.oauth_apps.client_id },
    )
    const endpoint = await database.read
      .selectFrom('webhook_endpoints')
      .select(['state', 'state_reason', 'sealed_headers'])
      .where('endpoint_id', '=', rows.webhook_endpoints.endpoint_id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      { ...endpoint },
      {
        state: 'disabled',
        state_reason: 'key_lost',
        sealed_headers: null,
      },
    )
    assert.deepEqual(await database.read.selectFrom('links').selectAll().execute(), links)
    assert.deepEqual(await countEvents(database), {
      'account.needs_reauth': 2,
      'webhook_endpoint.disabled': 2,
    })
  })

  it('continues after an interruption at any transaction, and records everything once', async (t) => {
    const { database, vault } = await fill(t)
    let interruptions = 0
    for (let limit = 1; ; limit += 1) {
      const cut = cutDatabase(database, limit)
      const failed = await forget(cut).then(
        () => false,
        () => true,
      )
      if (!failed) break
      interruptions += 1
    }
    assert.ok(interruptions > 2)
    await vault.verify()
    const errors = Object.values(await openAll(database, vault)).filter((text) =>
      /Error/.test(text),
    )
    assert.deepEqual(errors, [])
    assert.deepEqual(await countEvents(database), {
      'account.needs_reauth': 2,
      'webhook_endpoint.disabled': 2,
    })
  })

  async function countEvents({ read }: Database): Promise<Record<string, number>> {
    const rows = await read
      .selectFrom('events')
      .select(['type', (eb) => eb.fn.countAll<number>().as('count')])
      .where('type', '<>', 'account.created')
      .groupBy('type')
      .orderBy('type')
      .execute()
    return Object.fromEntries(rows.map(({ type, count }) => [type, count]))
  }
})
