import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { removeChecksum } from '../packages/server/src/platform/storage/database-file.ts'
import type { Id } from '../packages/server/src/platform/storage/id.ts'

/** Where the database of a stopped service is. */
export interface DatabaseLocation {
  /** The SQLite file; ignored with `url`. */
  readonly file: string
  /** PostgreSQL. */
  readonly url: string | undefined
}

/** Which accounts to add. */
export interface FillOptions extends DatabaseLocation {
  /** The account to copy, of the owner. */
  readonly accountId: Id<'acc'>
  /** Half of the accounts go here; undefined if all stay in the workspace of the account. */
  readonly otherWorkspaceId: Id<'wsp'> | undefined
  /** One of twenty accounts, all in the workspace of the account, has this link. Default: none. */
  readonly linkId?: Id<'lnk'>
  readonly count: number
}

/** Accounts of one `accountIdentifier`. */
const ACCOUNTS_PER_CUSTOMER = 10
const BATCH = 50_000

/**
 * Adds copies of an account, with the response and the search text that an account of an API call has. In SQL alone, so that
 * ten million take minutes, and so that it fits the schema of another commit.
 */
export async function fillAccounts(options: FillOptions): Promise<void> {
  const connection = await connect(options)
  try {
    const { accountId, count } = options
    await connection.run(
      `create temporary table template as select * from accounts where account_id = '${accountId}'`,
    )
    const [template] = await connection.run('select * from template')
    if (template === undefined) throw new Error(`no account ${accountId}`)
    const insert = toInsert(template, options, connection.dialect)
    for (let from = 0; from < count; from += BATCH)
      await connection.run(insert(from, Math.min(from + BATCH, count) - 1))
    await connection.finish()
  } finally {
    await connection.close()
  }
}

/** Adds copies of the workspace of a user. */
export async function fillWorkspaces(
  location: DatabaseLocation,
  userId: Id<'usr'>,
  count: number,
): Promise<void> {
  const connection = await connect(location)
  try {
    const [template = {}] = await connection.run(
      `select * from workspaces where user_id = '${userId}'`,
    )
    const values: Readonly<Record<string, string>> = {
      workspace_id: toId('wsp', `(${Number(template.created_at)} + n)`),
      slug: `'copy-' || n`,
    }
    const columns = Object.keys(template)
    const selected = columns.map((column) => values[column] ?? column).join(', ')
    await connection.run(
      `insert into workspaces (${columns.join(', ')}) select ${selected}
        from workspaces, ${connection.dialect.series(1, count)} where user_id = '${userId}'`,
    )
  } finally {
    await connection.close()
  }
}

/** The INSERT of the copies with these numbers. */
function toInsert(
  template: Readonly<Record<string, unknown>>,
  options: FillOptions,
  dialect: Dialect,
): (first: number, last: number) => string {
  const columns = Object.keys(template)
  const values = toCopiedColumns(template, options, dialect)
  const selected = columns.map((column) => values[column] ?? column).join(', ')
  return (first, last) =>
    `insert into accounts (${columns.join(', ')})
      select ${selected} from template, ${dialect.series(first, last)}`
}

/** Of 200 accounts, four are not active, all in the workspace of the template. */
const STATUSES = {
  0: ['needs_reauth', 'invalid_grant'],
  2: ['error', 'invalid_client'],
  4: ['pending', null],
  6: ['needs_reauth', 'credentials_rejected'],
} as const

/** Expressions of the copy number `n`, by column: of those that differ from the template. */
function toCopiedColumns(
  template: Readonly<Record<string, unknown>>,
  { otherWorkspaceId, linkId, count }: FillOptions,
  dialect: Dialect,
): Readonly<Record<string, string>> {
  const at = `(${Number(template.created_at) - count} + n)`
  const workspaceId = quote(String(template.workspace_id))
  const columns = {
    account_id: toId('acc', at),
    workspace_id:
      otherWorkspaceId === undefined
        ? workspaceId
        : `case n % 2 when 0 then ${workspaceId} else ${quote(otherWorkspaceId)} end`,
    link_id: linkId === undefined ? 'null' : `case n % 20 when 10 then ${quote(linkId)} end`,
    name: `'Support desk ' || n`,
    account_identifier: `'customer-' || (n / ${ACCOUNTS_PER_CUSTOMER})`,
    status: chooseByNumber(0, 'active'),
    status_reason: chooseByNumber(1, null),
    created_at: at,
    updated_at: at,
  }
  return {
    ...columns,
    search_text: `lower(${columns.name} || '\n' || ${columns.account_identifier})`,
    response_json: toResponse(String(template.response_json), columns, dialect),
  }
}

function chooseByNumber(index: 0 | 1, otherwise: string | null): string {
  const quoted = (text: string | null) => (text === null ? 'null' : quote(text))
  const cases = Object.entries(STATUSES).map(
    ([number, values]) => `when ${number} then ${quoted(values[index])}`,
  )
  return `case n % 200 ${cases.join(' ')} else ${quoted(otherwise)} end`
}

/** The response of the template as JSON, with the fields of a copy. */
function toResponse(
  response: string,
  columns: Readonly<Record<string, string>>,
  dialect: Dialect,
): string {
  const toText = (expression: string) => `coalesce('"' || ${expression} || '"', 'null')`
  const createdAt = toText(dialect.timestamp(columns.created_at ?? ''))
  const fields: Readonly<Record<string, string>> = {
    integrationAccountId: toText(columns.account_id ?? ''),
    workspaceId: toText(columns.workspace_id ?? ''),
    integrationAccountName: toText(columns.name ?? ''),
    createdAt,
    updatedAt: createdAt,
    statusSince: createdAt,
    linkId: toText(columns.link_id ?? ''),
    accountIdentifier: toText(columns.account_identifier ?? ''),
    status: toText(columns.status ?? ''),
    statusReason: toText(columns.status_reason ?? ''),
  }
  const members = Object.entries(JSON.parse(response)).map(
    ([key, value]) => `'"${key}":' || ${fields[key] ?? quote(JSON.stringify(value))}`,
  )
  return `'{' || ${members.join(` || ',' || `)} || '}'`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** An id in the form of `newId`. */
function toId(prefix: 'acc' | 'wsp', at: string): string {
  return `'${prefix}_' || ${toBase32(at, 10)} || 'e0080000' || ${toBase32(SHUFFLED, 8)}`
}

/** Spreads the copies, whose ids end with it. */
const SHUFFLED = '((n * 2654435761) & 1099511627775)'

/** The last characters of a number in Crockford's base32, as in ids. */
function toBase32(number: string, characters: number): string {
  return Array.from({ length: characters }, (_, index) => {
    const shift = 5 * (characters - 1 - index)
    return `substr('0123456789abcdefghjkmnpqrstvwxyz', cast((${number} >> ${shift}) & 31 as integer) + 1, 1)`
  }).join(' || ')
}

/** Ids of `count` accounts from all over the database, in no order. */
export async function sampleAccountIds(
  location: DatabaseLocation,
  count: number,
): Promise<Id<'acc'>[]> {
  const connection = await connect(location)
  try {
    // By the index of the IDs, which are in the order of their times.
    const readTime = async (order: 'asc' | 'desc') => {
      const [row] = await connection.run(
        `select created_at from accounts order by account_id ${order} limit 1`,
      )
      return Number(row?.created_at)
    }
    const first = await readTime('asc')
    const step = ((await readTime('desc')) - first) / count
    const found = new Set<Id<'acc'>>()
    for (let index = 0; index < count; index += 1) {
      const [row] = await connection.run(
        `select account_id from accounts
          where account_id >= 'acc_' || ${toBase32(`${Math.floor(first + index * step)}`, 10)}
          order by account_id limit 1`,
      )
      if (row !== undefined) found.add(row.account_id as Id<'acc'>)
    }
    return [...found].sort((a, b) => (a.slice(-8) < b.slice(-8) ? -1 : 1))
  } finally {
    await connection.close()
  }
}

/** How the databases differ. */
interface Dialect {
  /** A table of the numbers `n`. */
  series(first: number, last: number): string
  /** The text of a time in epoch milliseconds, as in responses. */
  timestamp(at: string): string
}

interface Connection {
  readonly dialect: Dialect
  run(statement: string): Promise<Record<string, unknown>[]>
  /** What the database does in time. */
  finish(): Promise<void>
  close(): Promise<void>
}

async function connect({ file, url }: DatabaseLocation): Promise<Connection> {
  return url === undefined ? openFile(file) : connectToServer(url)
}

function openFile(file: string): Connection {
  removeChecksum(file)
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  database.exec('pragma synchronous = off; pragma cache_size = -500000')
  return {
    dialect: {
      series: (first, last) =>
        `(with recursive series(n) as
          (select ${first} union all select n + 1 from series where n < ${last}) select n from series)`,
      timestamp: (at) =>
        `strftime('%Y-%m-%dT%H:%M:%S', ${at} / 1000, 'unixepoch') || printf('.%03dZ', ${at} % 1000)`,
    },
    run: async (statement) => {
      // So that signals are handled.
      await setImmediate()
      return database.prepare(statement).all()
    },
    finish: async () => database.exec('pragma wal_checkpoint(truncate)'),
    close: async () => database.close(),
  }
}

async function connectToServer(url: string): Promise<Connection> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('set synchronous_commit = off')
  return {
    dialect: {
      series: (first, last) => `generate_series(${first}::bigint, ${last}::bigint) as n`,
      timestamp: (at) =>
        `to_char(to_timestamp(${at} / 1000) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
          || '.' || lpad((${at} % 1000)::text, 3, '0') || 'Z'`,
    },
    run: async (statement) => (await client.query(statement)).rows,
    finish: async () => {
      await client.query('vacuum analyze')
    },
    close: () => client.end(),
  }
}
