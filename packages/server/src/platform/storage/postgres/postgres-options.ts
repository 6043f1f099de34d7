/** How to use a PostgreSQL server. Times are in milliseconds. */
export interface PostgresOptions {
  /** Maximum number of connections for transactions. */
  readonly writeConnections: number
  /** Maximum number of connections for reads, at least 2. */
  readonly readConnections: number
  /** Longest duration of one statement. */
  readonly statementTimeoutMs: number
  /** Longest wait of a statement for a lock that another transaction holds. */
  readonly lockTimeoutMs: number
  /** Longest wait for a connection: to open one, or until one of the pool is free. */
  readonly connectTimeoutMs: number
  /** Whether a pooler gives each transaction another connection: nothing may outlive a transaction. */
  readonly pooler: boolean
  /** Where migrations connect: past the pooler. */
  readonly directUrl: string | undefined
}

export const POSTGRES_DEFAULTS: PostgresOptions = {
  writeConnections: 6,
  readConnections: 8,
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 2_000,
  connectTimeoutMs: 3_000,
  pooler: false,
  directUrl: undefined,
}
