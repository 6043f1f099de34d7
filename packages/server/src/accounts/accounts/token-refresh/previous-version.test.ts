import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import * as migration from '../../../../migrations/0016-account-tokens.ts'
import * as tokenHosts from '../../../../migrations/0038-token-hosts.ts'
import { readAccountRow } from '../../../../test/account-rows.ts'
import { createRandom } from '../../../../test/create-random.ts'
import { describeOnBothDatabases, TEST_POSTGRES } from '../../../../test/postgres.ts'
import type { Database, Transaction } from '../../../platform/storage/database.ts'
import { newId } from '../../../platform/storage/id.ts'
import { openDatabase } from '../../../platform/storage/open-database.ts'
import type { SampleRows } from '../../../platform/storage/test/sample-rows.ts'
import { insertSampleRows } from '../../../platform/storage/test/test-database.ts'
import type { AccountChange, AccountId } from '../account.ts'
import { createAccountStore } from '../account-store.ts'
import { createClaimStore } from './background/claim-store.ts'
import { createRefreshStore, type Lease } from './refresh-store.ts'
import {
  createPreviousRefreshStore,
  PREVIOUS_COLUMNS,
  type PreviousChange,
} from './test/previous-refresh-store.ts'

describeOnBothDatabases('A node of the previous version beside one of this version', (newUrl) => {
  let folder: string
  let database: Database
  let previousDatabase: Database
  let sample: SampleRows
  before(async () => {
    const url = await newUrl()
    folder = await mkdtemp(join(tmpdir(), 'linchpin-previous-'))
    const options = { url, file: join(folder, 'linchpin.db') }
    database = await openDatabase({ ...options, postgres: TEST_POSTGRES })
    await database.migrate()
    previousDatabase = await openDatabase({ ...options, postgres: TEST_POSTGRES })
    sample = await insertSampleRows(database)
  })
  after(async () => {
    await database.close()
    await previousDatabase.close()
    await rm(folder, { recursive: true })
  })

  const newStore = () => createRefreshStore(database, Date.now)
  const previousStore = () => createPreviousRefreshStore(previousDatabase, Date.now)
  const createLease = (accountId: AccountId, owner = 'a', version = 1): Lease => {
    return { accountId, owner, version }
  }
  const acquire = (lease: Lease, durationMs = 60_000) =>
    database.transaction(async (trx) => {
      return (await newStore().acquireLease(trx, lease, durationMs)) !== undefined
    })
  const acquireAsPrevious = (lease: Lease, durationMs = 60_000) =>
    previousDatabase.transaction((trx) => previousStore().acquireLease(trx, lease, durationMs))
  const update = (lease: Lease, change: AccountChange) =>
    database.transaction((trx) => newStore().updateWithLease(trx, lease, change))
  const updateAsPrevious = (lease: Lease, change: PreviousChange) =>
    previousDatabase.transaction((trx) => previousStore().updateWithLease(trx, lease, change))

  /** Inserts an account as the previous version does. */
  async function insertAsPrevious(change: PreviousChange = {}): Promise<AccountId> {
    const row = { ...sample.accounts, account_id: newId('acc', Date.now()), ...change }
    await previousDatabase.transaction((trx) =>
      previousStore().insert(trx, row as unknown as PreviousChange),
    )
    return row.account_id
  }

  /** Asserts that both versions read the same state, and returns it. */
  async function readState(accountId: AccountId): Promise<unknown[]> {
    const { rows } = await sql<Record<string, unknown>>`
      select ${sql.join(PREVIOUS_COLUMNS.map((column) => sql.ref(column)))} from accounts
        where account_id = ${accountId}`.execute(database.read)
    const row = await readAccountRow(database, accountId)
    const state = [
      row.token_expires_at,
      row.token_ttl_ms,
      row.sealed_headers,
      row.refresh_at,
      row.refresh_failures,
      row.refresh_sent_at,
      row.lease_owner,
      row.lease_until,
    ]
    const previous = PREVIOUS_COLUMNS.map((column) => rows[0]?.[column])
    assert.deepEqual(previous.map(toComparable), state.map(toComparable))
    return state.map(toComparable)
  }

  it('never has a lease at the same time, and neither version waits for the other in a deadlock', async () => {
    const ids = [await insertAsPrevious(), await insertAsPrevious({ renew_at: 1 })]
    const holders = new Map<AccountId, string>()
    const counts = { previous: 0, next: 0, transactions: 0, attempts: 0 }
    const counted =
      (work: (trx: Transaction) => Promise<boolean>) =>
      (trx: Transaction): Promise<boolean> => {
        counts.attempts += 1
        return work(trx)
      }
    const run = (node: Database, work: (trx: Transaction) => Promise<boolean>) => {
      counts.transactions += 1
      return node.transaction(counted(work))
    }
    const compete = async (version: 'previous' | 'next', owner: string) => {
      while (Math.min(counts.previous, counts.next) < 25) {
        for (const id of ids) {
          const lease = createLease(id, `${version} ${owner}`)
          const isPrevious = version === 'previous'
          const isAcquired = await (isPrevious
            ? run(previousDatabase, (trx) => previousStore().acquireLease(trx, lease, 60_000))
            : run(database, async (trx) => {
                return (await newStore().acquireLease(trx, lease, 60_000)) !== undefined
              }))
          if (!isAcquired) continue
          assert.equal(holders.get(id), undefined, `${lease.owner} has the lease, too`)
          holders.set(id, lease.owner)
          counts[version] += 1
          await sleep(Math.random() * 3)
          holders.delete(id)
          const isReleased = await (isPrevious
            ? run(previousDatabase, (trx) =>
                previousStore().updateWithLease(trx, lease, {
                  renew_at: counts.previous,
                  lease_owner: null,
                  lease_until: null,
                }),
              )
            : run(database, (trx) => {
                const released = { refreshAt: counts.next, leaseOwner: null, leaseUntil: null }
                return newStore().updateWithLease(trx, lease, released)
              }))
          assert.ok(isReleased, `${lease.owner} had the lease until it released it`)
          await sleep(Math.random() * 3)
        }
      }
    }
    const owners = ['1', '2', '3']
    await Promise.all([
      ...owners.map((owner) => compete('previous', owner)),
      ...owners.map((owner) => compete('next', owner)),
    ])
    assert.ok(counts.previous >= 25 && counts.next >= 25)
    assert.equal(counts.attempts, counts.transactions, 'no transaction was repeated')
    for (const id of ids) await readState(id)
  })

  it('cannot write with a lease of the other, and is refused after the other has changed the credentials', async () => {
    const id = await insertAsPrevious({ token_expires_at: 5, renew_at: 4 })
    const own = createLease(id, 'next')
    const previous = createLease(id, 'previous')
    assert.ok(await acquire(own))
    assert.equal(await acquireAsPrevious(previous), false)
    assert.equal(await updateAsPrevious(previous, { renew_at: 1 }), false)
    assert.ok(await updateAsPrevious(own, { lease_owner: null, lease_until: null }))
    assert.equal(await update(own, { refreshAt: 2 }), false, 'the lease was released')
    assert.ok(await acquireAsPrevious(previous))
    assert.equal(await acquire(own), false)
    assert.equal(await update(own, { refreshAt: 2 }), false)
    assert.ok(await updateAsPrevious(previous, { credential_version: 2, renew_at: 8 }))
    assert.equal(await update(previous, { refreshAt: 2 }), false, 'another version')
    assert.ok(await update(createLease(id, 'previous', 2), { credentialVersion: 3 }))
    assert.equal(await updateAsPrevious(createLease(id, 'previous', 2), { renew_at: 9 }), false)
    assert.equal((await readState(id))[3], 8)
  })

  it('acquires no lease for credentials that the other is changing', async () => {
    // SQLite has one transaction at a time.
    if (database.dialect !== 'postgres') return
    const id = await insertAsPrevious()
    let acquiring: Promise<boolean> | undefined
    await previousDatabase.transaction(async (trx) => {
      await sql`update accounts set credential_version = 2 where account_id = ${id}`.execute(trx)
      acquiring = acquire(createLease(id, 'next'))
      await sql`select pg_sleep(0.3)`.execute(trx)
    })
    assert.equal(await acquiring, false)
    assert.equal((await readState(id))[6], null)
  })

  it('takes over an expired lease of the other', async () => {
    const id = await insertAsPrevious()
    assert.ok(await acquire(createLease(id, 'next'), -1))
    assert.ok(await acquireAsPrevious(createLease(id, 'previous'), -1))
    assert.ok(await acquire(createLease(id, 'next')))
    assert.equal((await readState(id))[6], 'next')
  })

  it('reads what the other stores, whatever it stores', async () => {
    const seed = Math.floor(Math.random() * 1e9)
    const random = createRandom(seed)
    const number = () => (random() < 0.3 ? null : Math.floor(random() * 1e12))
    const bytes = () => (random() < 0.3 ? null : Buffer.from(`${random()}`))
    const id = await insertAsPrevious()
    for (let step = 0; step < 60; step += 1) {
      const failures = Math.floor(random() * 3)
      const change = { refreshAt: number(), tokenExpiresAt: number(), refreshFailures: failures }
      const previousChange = { renew_at: number(), renewal_sent_at: number(), token_life_ms: 7 }
      const lease = createLease(id, `step ${step}`)
      if (random() < 0.5) {
        assert.ok(await acquire(lease))
        if (random() < 0.5) await update(lease, { ...change, sealedHeaders: bytes() })
      } else {
        assert.ok(await acquireAsPrevious(lease))
        await updateAsPrevious(lease, { ...previousChange, sealed_headers: bytes() })
      }
      assert.equal((await readState(id))[6], lease.owner, `seed ${seed}`)
      const cleared = { leaseOwner: null, leaseUntil: null }
      if (random() < 0.5) await update(lease, { ...change, tokenTtlMs: number(), ...cleared })
      else
        await updateAsPrevious(lease, { renew_failures: 2, lease_owner: null, lease_until: null })
      assert.equal((await readState(id))[6], null, `seed ${seed}`)
    }
  })

  it('finds due accounts that the other has stored', async () => {
    const accounts = createAccountStore(database)
    const due = await insertAsPrevious({ renew_at: 3 })
    const later = await insertAsPrevious({ renew_at: Date.now() + 60_000 })
    const ofNext = newId('acc', Date.now())
    await database.transaction(async (trx) => {
      const access = { userId: sample.users.user_id, boundWorkspaceId: null }
      const found = await accounts.findWithCredentials(trx, access, due)
      assert.ok(found)
      await accounts.insert(trx, {
        ...found,
        accountId: ofNext,
        publicConfig: {},
        tags: {},
        identityLabel: null,
        refreshAt: 2,
      })
    })
    const claim = async () => {
      const snapshots = await createClaimStore(database, Date.now).claim('owner', 1, 100, 0, [])
      return snapshots
        .sort((a, b) => Number(a.row.refreshAt) - Number(b.row.refreshAt))
        .map(({ row }) => row.accountId)
    }
    for (const findDue of [() => previousStore().findDue(100), claim]) {
      const found = await findDue()
      assert.ok(found.includes(due) && found.includes(ofNext) && !found.includes(later))
      assert.ok(found.indexOf(ofNext) < found.indexOf(due), 'longest overdue first')
    }
    for (const id of [due, later, ofNext]) await readState(id)
  })

  it('erases the state of accounts that the other has stored, and ends its leases', async () => {
    const accounts = createAccountStore(database)
    const access = { userId: sample.users.user_id, boundWorkspaceId: null }
    const sealed = { sealed_headers: Buffer.from('sealed'), renew_at: 1, renew_failures: 3 }
    const erased = [null, null, null, null, 0, null, null, null]
    const remove = {
      next: (id: AccountId) =>
        database.transaction((trx) => accounts.markDeleted(trx, access, id, Date.now())),
      previous: (id: AccountId) =>
        previousDatabase.transaction((trx) => previousStore().markDeleted(trx, id)),
    }
    for (const markDeleted of [remove.next, remove.previous]) {
      const id = await insertAsPrevious(sealed)
      const lease = createLease(id)
      assert.ok(await acquire(lease))
      assert.ok(await markDeleted(id))
      assert.deepEqual(await readState(id), erased)
      assert.equal(await update(lease, { refreshAt: 5 }), false)
      assert.equal(await updateAsPrevious(lease, { renew_at: 5 }), false)
      assert.equal(await countTokenRows(id), 0)
    }
  })

  it('is upgraded without losing state: live accounts with state get a row, others none', async () => {
    await database.transaction(dropMigration)
    const leased = { lease_owner: 'a node', lease_until: Date.now() + 60_000 }
    const states: PreviousChange[] = [
      { renew_at: 5 },
      { token_expires_at: 5 },
      { token_life_ms: 5 },
      { renew_failures: 1 },
      { renewal_sent_at: 5 },
      { sealed_headers: Buffer.from('sealed') },
      leased,
    ]
    const ids: AccountId[] = []
    for (const state of states) ids.push(await insertAsPrevious(state))
    const withoutState = await insertAsPrevious()
    const deleted = await insertAsPrevious({ renew_at: 5, deleted_at: 6 })
    for (const { up } of [migration, tokenHosts])
      await database.transaction((trx) => up(trx as never))
    for (const id of ids) {
      assert.equal(await countTokenRows(id), 1)
      await readState(id)
    }
    assert.equal(await acquire(createLease(ids.at(-1) ?? 'acc_', 'another')), false)
    for (const id of [withoutState, deleted]) assert.equal(await countTokenRows(id), 0)
    assert.ok(await acquire(createLease(withoutState)))
    await readState(withoutState)
  })

  async function countTokenRows(id: AccountId): Promise<number> {
    const tokens = database.read.selectFrom('account_tokens').selectAll()
    return (await tokens.where('account_id', '=', id).execute()).length
  }

  async function dropMigration(trx: Transaction): Promise<void> {
    await trx.schema.dropTable('account_tokens').execute()
    for (const name of ['copy_new_tokens', 'copy_tokens', 'delete_tokens'])
      await (database.dialect === 'postgres'
        ? sql`drop trigger ${sql.ref(`accounts_${name}`)} on accounts`
        : sql`drop trigger ${sql.ref(`accounts_${name}`)}`
      ).execute(trx)
    if (database.dialect === 'postgres')
      for (const name of FUNCTIONS) await sql`drop function ${sql.ref(name)}`.execute(trx)
  }
})

const FUNCTIONS = [
  'copy_account_tokens',
  'delete_account_tokens',
  'copy_tokens_to_account',
  'erase_tokens_of_account',
]

function toComparable(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}
