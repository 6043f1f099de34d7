import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import type { AccountListFilter } from '../packages/server/src/accounts/accounts/account-list-filter.ts'
import { createAccountPages } from '../packages/server/src/accounts/accounts/account-page-store.ts'
import type { CursorPosition } from '../packages/server/src/platform/http/pagination.ts'
import type { Database } from '../packages/server/src/platform/storage/database.ts'
import type { Id } from '../packages/server/src/platform/storage/id.ts'
import { openDatabase } from '../packages/server/src/platform/storage/open-database.ts'
import { insertSampleRows } from '../packages/server/src/platform/storage/test/test-database.ts'
import { startPostgres } from '../packages/server/test/postgres-cluster.ts'

// Measures pages of the account list with several filters, in a workspace with many accounts:
// node bench/account-filters.ts [sqlite|postgres] [accounts]
type Filter = Omit<AccountListFilter, 'workspaceId'>

const tag = (key: string, value: string) => ({ key, value })
const PRO = tag('plan', 'pro')
const EU = tag('region', 'eu')
const RARE = tag('rare', 'x')

/** 80% have plan:pro, the others plan:free, which also has half:y; 50% have region:eu; 500 have rare:x. */
const FILTERS: Readonly<Record<string, Filter>> = {
  'one common tag': { tags: [PRO] },
  'common, common': { tags: [PRO, EU] },
  'common, rare': { tags: [PRO, RARE] },
  'rare, common': { tags: [RARE, PRO] },
  'common, disjoint': { tags: [PRO, tag('half', 'y')] },
  'five tags, all common': {
    tags: [PRO, EU, tag('a', '1'), tag('b', '1'), tag('c', '1')],
  },
  'five tags, one rare': { tags: [PRO, EU, tag('a', '1'), tag('b', '1'), RARE] },
  'common tag, customer': { tags: [PRO], accountIdentifier: 'customer-7' },
  'common tag, status=error': { tags: [PRO], status: 'error' },
  'common tag, rare link': { tags: [PRO], linkId: 'lnk_rare' },
  'customer, includeDeleted': { accountIdentifier: 'customer-7', includeDeleted: true },
  'status=active, customer': { status: 'active', accountIdentifier: 'customer-7' },
}

async function measure(isPostgres: boolean, count: number): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-filters-'))
  const server = isPostgres ? await startPostgres({ isDurable: false }) : undefined
  const url = await server?.createDatabase('filters')
  const database = await openDatabase({ url, file: path.join(folder, 'linchpin.db') })
  try {
    await database.migrate()
    const { users, workspaces, accounts } = await insertSampleRows(database)
    await fill(database, accounts.account_id, count)
    const access = { userId: users.user_id, boundWorkspaceId: null }
    const { workspace_id: workspaceId } = workspaces
    const pages = createAccountPages(database)
    const read = (filter: Filter, after?: CursorPosition) =>
      pages.readPage(access, { workspaceId, ...filter }, 25, after)
    console.log(
      `${isPostgres ? 'PostgreSQL' : 'SQLite'}, ${count} accounts, pages of 25, ms (median of 9, worst)`,
    )
    for (const [name, filter] of Object.entries(FILTERS))
      for (const order of ['createdAt', '-createdAt', 'updatedAt', '-updatedAt'] as const)
        await print(name, order, (after) => read({ ...filter, order }, after), count)
  } finally {
    await database.close()
    await server?.stop()
    await rm(folder, { recursive: true })
  }
}

async function print(
  name: string,
  order: string,
  read: (after?: CursorPosition) => ReturnType<ReturnType<typeof createAccountPages>['readPage']>,
  count: number,
): Promise<void> {
  const deep = { createdAt: 1_000_000 + count / 2, id: '~' }
  const columns: string[] = []
  for (const after of [undefined, deep]) {
    const times: number[] = []
    let size = 0
    let first = 0
    for (let round = 0; round < 10; round += 1) {
      const start = performance.now()
      size = (await read(after)).count
      const took = performance.now() - start
      if (round === 0) first = took
      else times.push(took)
    }
    times.sort((a, b) => a - b)
    columns.push(
      `${times[4]?.toFixed(1)} (${times[8]?.toFixed(1)}; first ${first.toFixed(1)}), ${size} rows`,
    )
  }
  console.log(`| ${name} | ${order} | ${columns.join(' | ')} |`)
}

/** Copies one account: through SQL, because rows from JavaScript would take many minutes. */
async function fill(database: Database, accountId: Id<'acc'>, count: number): Promise<void> {
  const row = await database.read
    .selectFrom('accounts')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const isSqlite = database.dialect === 'sqlite'
  const cast = (text: string) => (isSqlite ? text : `(${text})::text`)
  const tags = `'{"plan":"' || case when n % 5 = 0 then 'free","half":"y' else 'pro' end
    || '","region":"' || case when n % 2 = 0 then 'eu' else 'us' end || '","a":"1","b":"1","c":"1"'
    || case when n % 1000 = 1 then ',"rare":"x"' else '' end || '}'`
  const values: Record<string, string> = {
    account_id: isSqlite
      ? `'acc_' || printf('%026d', (n * 7919) % 1000003)`
      : `'acc_' || lpad(((n * 7919) % 1000003)::text, 26, '0')`,
    account_identifier: `'customer-' || ${cast('(n % 40000)')}`,
    status: `case when n % 900 = 3 then 'error' else 'active' end`,
    link_id: 'null',
    created_at: '1000000 + n',
    updated_at: `1000000 + (n * 7919) % ${count}`,
    deleted_at: 'case when n % 20 = 19 then 2000000 else null end',
    tags: `case when n % 20 = 19 then '{}' else ${tags} end`,
    response_json: `'{}'`,
  }
  const columns = Object.keys(row)
  const selected = columns.map((column) => values[column] ?? `source.${column}`)
  for (let from = 0; from < count; from += 5_000) {
    const numbers = isSqlite
      ? `(with recursive s(n) as (select ${from} union all select n + 1 from s where n < ${from + 4_999}) select n from s)`
      : `generate_series(${from}::bigint, ${from + 4_999}::bigint) as n`
    await database.transaction((trx) =>
      sql
        .raw(
          `insert into accounts (${columns.join(', ')}) select ${selected.join(', ')}
           from accounts as source, ${numbers} where source.account_id = '${accountId}'`,
        )
        .execute(trx),
    )
  }
  if (!isSqlite) await sql`analyze`.execute(database.read)
}

const [dialect = 'sqlite', count = '500000'] = process.argv.slice(2)
await measure(dialect === 'postgres', Number(count))
