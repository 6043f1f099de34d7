import assert from 'node:assert/strict'
import { after, before, it, type TestContext } from 'node:test'
import { describeOnBothDatabases, TEST_POSTGRES } from '../../../test/postgres.ts'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import {
  insertSampleRows,
  openTemporaryDatabase,
} from '../../platform/storage/test/test-database.ts'
import { ACCOUNT_ORDERS, type AccountListFilter } from './account-list-filter.ts'
import { type AccountPage, createAccountPages } from './account-page-store.ts'

type Filter = Omit<AccountListFilter, 'workspaceId' | 'order'>

const COUNT = 4_500
const START = 1_000_000
const tag = (key: string, value = '1') => ({ key, value })

const tagsOf = (index: number): Record<string, string> => ({
  all: '1',
  half: String(index % 2),
  ...(index >= COUNT - 1_200 ? { late: '1' } : {}),
  ...(index % 300 === 7 ? { rare: '1' } : {}),
})

const isDeleted = (index: number): boolean => index % 10 === 9

const FILTERS: Readonly<Record<string, Filter>> = {
  all: {},
  'all, late': { tags: [tag('all'), tag('late')] },
  'late, all': { tags: [tag('late'), tag('all')] },
  'half 0, half 1': { tags: [tag('half', '0'), tag('half')] },
  'all, rare': { tags: [tag('all'), tag('rare')] },
  'rare, half, all': { tags: [tag('rare'), tag('half'), tag('all')] },
  'all, unknown': { tags: [tag('all'), tag('unknown')] },
  'all, customer': { tags: [tag('all')], accountIdentifier: 'few' },
  'many, error': { accountIdentifier: 'many', status: 'error' },
  'many, active, half': { accountIdentifier: 'many', status: 'active', tags: [tag('half')] },
  'few, deleted': { accountIdentifier: 'few', status: 'deleted' },
  'few and tombstones': { accountIdentifier: 'few', includeDeleted: true },
  'many and tombstones': { accountIdentifier: 'many', includeDeleted: true },
  'between two times': { tags: [tag('all'), tag('late')], after: START + 300, until: START + 420 },
  deleted: { status: 'deleted' },
}

describeOnBothDatabases('Pages of accounts with several filters', (newUrl) => {
  let database: Database
  let pages: ReturnType<typeof createAccountPages>
  let access: WorkspaceAccess
  let workspaceId: WorkspaceId
  const accounts: {
    account_id: string
    account_identifier: string
    status: string
    created_at: number
    updated_at: number
    deleted_at: number | null
    tags: Record<string, string>
  }[] = []
  const cleanups: (() => unknown)[] = []
  const suite = { after: (each: () => unknown) => cleanups.push(each) } as unknown as TestContext
  after(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup()
  })
  before(async () => {
    database = await openTemporaryDatabase(suite, {
      url: await newUrl(),
      postgres: TEST_POSTGRES,
    })
    const { users, workspaces, accounts: sample } = await insertSampleRows(database)
    workspaceId = workspaces.workspace_id
    access = { userId: users.user_id, boundWorkspaceId: null }
    pages = createAccountPages(database)
    await database.transaction((trx) => trx.deleteFrom('accounts').execute())
    for (let index = 0; index < COUNT; index += 1)
      accounts.push({
        account_id: newId('acc', START + ((index * 7) % COUNT)),
        account_identifier: index % 100 === 3 ? 'few' : 'many',
        status: index % 4 === 1 ? 'error' : 'active',
        // Ten accounts at a time, and updates in another order.
        created_at: START + Math.floor(index / 10),
        updated_at: START + Math.floor(((index * 11) % COUNT) / 10),
        deleted_at: isDeleted(index) ? START * 2 : null,
        tags: isDeleted(index) ? {} : tagsOf(index),
      })
    for (let from = 0; from < COUNT; from += 500)
      await database.transaction((trx) =>
        trx
          .insertInto('accounts')
          .values(
            accounts.slice(from, from + 500).map((each) => ({
              ...sample,
              ...each,
              tags: JSON.stringify(each.tags),
            })) as never,
          )
          .execute(),
      )
  })

  const readAll = async (filter: AccountListFilter, limit: number) => {
    const found: AccountPage[] = []
    let position: AccountPage['next']
    do {
      const page = await pages.readPage(access, filter, limit, position)
      found.push(page)
      position = page.next
    } while (position !== undefined)
    return found
  }
  const idsOf = (found: readonly AccountPage[]): string[] =>
    found.flatMap(({ json }) =>
      JSON.parse(String(json instanceof Uint8Array ? Buffer.from(json) : json)).map(
        (each: { integrationAccountId: string }) => each.integrationAccountId,
      ),
    )
  const expectIds = (filter: AccountListFilter): string[] => {
    const { order = 'createdAt', tags = [], status, accountIdentifier, includeDeleted } = filter
    const timeOf = (each: (typeof accounts)[number]) =>
      order.endsWith('updatedAt') ? each.updated_at : each.created_at
    const sorted = accounts
      .filter((each) => {
        if (tags.some(({ key, value }) => each.tags[key] !== value)) return false
        if (accountIdentifier !== undefined && each.account_identifier !== accountIdentifier)
          return false
        if (status === 'deleted' && each.deleted_at === null) return false
        if (status !== undefined && status !== 'deleted' && each.status !== status) return false
        if (status !== 'deleted' && !includeDeleted && each.deleted_at !== null) return false
        const time = timeOf(each)
        return time > (filter.after ?? 0) && time <= (filter.until ?? Number.MAX_SAFE_INTEGER)
      })
      .toSorted((a, b) => timeOf(a) - timeOf(b) || (a.account_id < b.account_id ? -1 : 1))
    return (order.startsWith('-') ? sorted.toReversed() : sorted).map((each) => each.account_id)
  }

  for (const [name, filter] of Object.entries(FILTERS))
    it(`contain each account once, in every order: ${name}`, async () => {
      for (const order of ACCOUNT_ORDERS) {
        const full = { ...filter, workspaceId, order }
        assert.deepEqual(idsOf(await readAll(full, 150)), expectIds(full), order)
      }
    })

  it('read a bounded number of entries: a page may be empty and have a next one', async () => {
    const tags = [tag('all'), tag('late')]
    const [first, ...others] = await readAll({ workspaceId, tags }, 1_000)
    assert.equal(first?.count, 0)
    const stored = others.map(({ count }) => count)
    assert.deepEqual(stored, [250, 250, 250, 250, 80], 'each rendered in a turn of its own')
    assert.ok(first?.next)
    assert.equal(await pages.hasAccountsAfter(access, { workspaceId, tags }, first.next), true)
    const end = { createdAt: START + COUNT, id: '' }
    assert.equal(await pages.hasAccountsAfter(access, { workspaceId, tags }, end), false)
  })
})
