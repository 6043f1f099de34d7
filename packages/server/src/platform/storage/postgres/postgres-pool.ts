import type { QueryResult } from 'kysely'
import pg from 'pg'
import { POSTGRES_DEFAULTS, type PostgresOptions } from '../database.ts'
import { StoragePoolerError, toStorageError } from '../storage-error.ts'
import { type PrimaryGuard, withTimeout } from './primary-guard.ts'

/**
 * A pool that recovers by itself: broken connections are dropped, no query waits longer than the timeouts
 * of the options, and errors of idle connections are ignored.
 */
export function openPool(
  url: string,
  options: PostgresOptions,
  { connections, guard, maxLifetimeSeconds = 0 }: PoolOptions,
): pg.Pool {
  const settings = listSessionSettings(options).map((setting) => `SET ${setting};`)
  const pool = new pg.Pool({
    ...buildConnectionConfig(url, options),
    Client: PostgresClient,
    max: connections,
    maxLifetimeSeconds,
    idleTimeoutMillis: 30_000,
    // A pooler would pass them to the client that uses the connection of the server next.
    ...(options.pooler
      ? {}
      : {
          onConnect: async (client: pg.ClientBase) => {
            const text = `SET default_transaction_read_only = on; ${settings.join(' ')}`
            await client.query(withTimeout(text, options.connectTimeoutMs))
            await guard.admit(client)
          },
        }),
  })
  pool.on('error', () => {})
  // A connection in use by a transaction has no error listener of the pool.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** What a pool is for. */
export interface PoolOptions {
  readonly connections: number
  /** Decides which servers its connections may lead to. Behind a pooler, that is the pooler's task. */
  readonly guard: PrimaryGuard
  /** After this, a connection is replaced. Default: never. */
  readonly maxLifetimeSeconds?: number
}

/** The settings of every connection, in and outside the pools. */
export function buildConnectionConfig(
  url: string,
  options: PostgresOptions = POSTGRES_DEFAULTS,
): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'linchpin',
    connectionTimeoutMillis: options.connectTimeoutMs,
    // Only for a server that does not respond: it ends statements itself before.
    query_timeout: options.statementTimeoutMs + 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  }
}

/**
 * The statement that begins a transaction. Behind a pooler it also limits the statements of this transaction, because the
 * connection has no settings.
 */
export function beginTransaction(mode: string, options: PostgresOptions): string {
  if (!options.pooler) return `BEGIN ${mode}`
  const settings = listSessionSettings(options).map((setting) => `SET LOCAL ${setting};`)
  return `BEGIN ${mode}; ${settings.join(' ')}`
}

function listSessionSettings({ statementTimeoutMs, lockTimeoutMs }: PostgresOptions): string[] {
  return [
    `statement_timeout = ${statementTimeoutMs}`,
    `lock_timeout = ${lockTimeoutMs}`,
    `idle_in_transaction_session_timeout = ${statementTimeoutMs}`,
  ]
}

/** Waits for a connection of the pool. @throws {StorageError} */
export async function takeConnection(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw toStorageError(error)
  }
}

/** Runs one statement on a connection. @throws {StorageError} */
export async function runQuery(
  client: pg.ClientBase,
  config: pg.QueryConfig,
): Promise<QueryResult<unknown>> {
  try {
    const { command, rowCount, rows } = await client.query(config)
    if (!WRITE_COMMANDS.has(command)) return { rows }
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
  } catch (error) {
    throw toStorageError(error)
  }
}

const WRITE_COMMANDS = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

const BOOL = 16
const INT8 = 20
const NUMERIC = 1700

/** Numbers as numbers and booleans as 0 or 1, like SQLite. */
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) => {
  if (oid === INT8 || oid === NUMERIC) return Number
  if (oid === BOOL) return (text: string) => (text === 't' ? 1 : 0)
  return pg.types.getTypeParser(oid, format)
}

/**
 * A client of PostgreSQL for a connection URI whose `sslmode` means what it means to libpq. The driver itself verifies the
 * certificate for `require`, and does not fall back to a connection without TLS for `prefer`.
 */
export class PostgresClient extends pg.Client {
  readonly #prefersTls: boolean

  constructor(config: pg.ClientConfig = {}) {
    const { connectionString: url } = config
    super(url === undefined ? config : { ...config, connectionString: toDriverUrl(url) })
    this.#prefersTls = url !== undefined && ['prefer', 'allow'].includes(getTlsMode(url) ?? '')
  }

  override connect(): Promise<this>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<this> | undefined {
    const ready = this.#prefersTls ? this.#chooseTls() : undefined
    if (callback === undefined)
      return Promise.resolve(ready)
        .then(() => super.connect())
        .then(() => this)
    // The driver calls back before it reads on: a listener for errors has to be there by then.
    if (ready === undefined) super.connect(callback)
    else ready.then(() => super.connect(callback), callback)
    return undefined
  }

  /** Asks the server for each connection: after a failover it may be another one. */
  async #chooseTls(): Promise<void> {
    const timeoutMs = Number(
      (this as { _connectionTimeoutMillis?: number })._connectionTimeoutMillis,
    )
    if (this.host.startsWith('/') || !(await acceptsTls(this.host, this.port, timeoutMs)))
      Object.assign(this, { ssl: false }).#connection.ssl = false
  }

  get #connection(): { ssl: unknown } {
    return (this as unknown as { connection: { ssl: unknown } }).connection
  }
}

type ConnectCallback = (error: Error | null, client?: pg.Client) => void

/** The value of `sslmode` in a connection URI. */
function getTlsMode(url: string): string | undefined {
  return /[?&]sslmode=([^&#]*)/.exec(url)?.[1]
}

/** The URI in the driver's own words, which are libpq's if a parameter says so. `no-verify` is a word of the driver alone. */
function toDriverUrl(url: string): string {
  const mode = getTlsMode(url)
  if (mode === undefined || mode === 'no-verify' || /[?&]uselibpqcompat=/.test(url)) return url
  // Either is fine for `allow`, and TLS is better.
  const supported = url.replace(/([?&]sslmode=)allow(?=[&#]|$)/, '$1prefer')
  return supported.replace(/(#|$)/, '&uselibpqcompat=true$1')
}

/** Sends an SSLRequest (PostgreSQL documentation, "SSL Session Encryption") on a connection of its own, and closes it. */
async function acceptsTls(host: string, port: number, timeoutMs: number): Promise<boolean> {
  const connection = new pg.Connection({ ssl: { rejectUnauthorized: false } }) as DriverConnection
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const timer =
    timeoutMs > 0 ? setTimeout(() => reject(new Error('timeout expired')), timeoutMs) : undefined
  connection.once('connect', () => connection.requestSsl())
  connection.once('sslconnect', () => resolve(true))
  connection.on('error', (error: Error) =>
    error.message === NO_TLS ? resolve(false) : reject(error),
  )
  connection.once('end', () => reject(new Error('Connection terminated unexpectedly')))
  connection.connect(port, host)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    connection.stream.destroy()
  }
}

const NO_TLS = 'The server does not support SSL connections'

/** What the driver's types leave out. */
interface DriverConnection extends pg.Connection {
  connect(port: number, host: string): void
  requestSsl(): void
}

/** Opens a connection outside the pools, whose statements may take as long as they need. @throws {StorageError} */
export async function connectClient(config: pg.ClientConfig): Promise<pg.Client> {
  try {
    // Reads the files of certificates.
    const client = new PostgresClient({ ...config, query_timeout: 0 })
    client.on('error', () => {})
    await client.connect()
    return client
  } catch (error) {
    throw toStorageError(error)
  }
}

/**
 * Finds out whether a pooler gives each transaction another connection of the server. Without the option `pooler`, that works
 * until the first statement that another connection has prepared under the same name.
 *
 * @throws {StoragePoolerError}
 */
export async function assertNoTransactionPooler(
  client: pg.Client,
  url: string,
  options: PostgresOptions,
): Promise<void> {
  if ((await readBackendPid(client)) === getAnnouncedPid(client)) return
  const other = new PostgresClient(buildConnectionConfig(url, options))
  other.on('error', () => {})
  try {
    await other.connect()
    const before = await readBackendPid(client)
    // Holds its connection, which is the one that the first client has just returned.
    await other.query('BEGIN')
    const held = await readBackendPid(other)
    const after = await readBackendPid(client)
    if (held === before || after !== before) throw new StoragePoolerError()
  } finally {
    await other.end()
  }
}

async function readBackendPid(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid ?? 0
}

/** What the server announced when the client connected. A pooler announces numbers of its own. */
function getAnnouncedPid(client: pg.Client): number | undefined {
  return (client as unknown as { processID?: number }).processID
}
