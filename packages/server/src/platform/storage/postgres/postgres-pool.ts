import type { QueryResult } from 'kysely'
import pg from 'pg'
import { toStorageError } from '../storage-error.ts'
import { PostgresClient } from './postgres-client.ts'
import { POSTGRES_DEFAULTS, type PostgresOptions } from './postgres-options.ts'
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
