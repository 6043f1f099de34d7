import { parsePostgresUrl } from '../parse-postgres-url.ts'
import { setting } from '../setting.ts'
import { parseFlag, parseOptional, parsePoolSize, parseSeconds } from '../setting-parsers.ts'

/** The settings of the connections to PostgreSQL. */
export function postgresSettings() {
  return {
    pgWriteConnections: setting(
      'LINCHPIN_PG_WRITE_CONNECTIONS',
      '6',
      'Maximum number of connections for transactions.',
      parsePoolSize(1),
    ),
    pgReadConnections: setting(
      'LINCHPIN_PG_READ_CONNECTIONS',
      '8',
      'Maximum number of connections for reads.',
      parsePoolSize(2),
    ),
    pgStatementTimeoutMs: setting(
      'LINCHPIN_PG_STATEMENT_TIMEOUT',
      '10',
      'Seconds that one statement may take, 1 to 600.',
      parseSeconds(1, 600),
    ),
    pgLockTimeoutMs: setting(
      'LINCHPIN_PG_LOCK_TIMEOUT',
      '2',
      'Seconds that a statement waits for a lock of another transaction, 1 to 600.',
      parseSeconds(1, 600),
    ),
    pgConnectTimeoutMs: setting(
      'LINCHPIN_PG_CONNECT_TIMEOUT',
      '3',
      'Seconds that a request waits for a connection, 1 to 60.',
      parseSeconds(1, 60),
    ),
    pgPooler: setting(
      'LINCHPIN_PG_POOLER',
      '0',
      '1 if DATABASE_URL leads to a pooler in transaction mode, such as pgbouncer.',
      parseFlag,
    ),
    pgDirectUrl: setting(
      'LINCHPIN_PG_DIRECT_URL',
      '',
      'postgres://… past the pooler, for migrations, exports and imports. Default: DATABASE_URL.',
      parseOptional(parsePostgresUrl),
    ),
  }
}
