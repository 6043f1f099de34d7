import { parsePostgresUrl } from '../parse-postgres-url.ts'
import type { SettingTable } from '../setting.ts'
import { parseFlag, parseOptional, parsePoolSize, parseSeconds } from '../setting-parsers.ts'

/** The settings of the connections to PostgreSQL. */
export function postgresSettings() {
  return {
    pgWriteConnections: {
      name: 'LINCHPIN_PG_WRITE_CONNECTIONS',
      default: '6',
      description: 'connections to [PostgreSQL](#postgresql) for transactions, 1 to 1,000',
      parse: parsePoolSize(1),
    },
    pgReadConnections: {
      name: 'LINCHPIN_PG_READ_CONNECTIONS',
      default: '8',
      description: 'connections for reads, 2 to 1,000',
      parse: parsePoolSize(2),
    },
    pgStatementTimeoutMs: {
      name: 'LINCHPIN_PG_STATEMENT_TIMEOUT',
      default: '10',
      description: 'seconds that one statement may take, 1 to 600',
      parse: parseSeconds(1, 600),
    },
    pgLockTimeoutMs: {
      name: 'LINCHPIN_PG_LOCK_TIMEOUT',
      default: '2',
      description: 'seconds that a statement waits for a lock of another transaction, 1 to 600',
      parse: parseSeconds(1, 600),
    },
    pgConnectTimeoutMs: {
      name: 'LINCHPIN_PG_CONNECT_TIMEOUT',
      default: '3',
      description: 'seconds that a request waits for a connection, 1 to 60',
      parse: parseSeconds(1, 60),
    },
    pgPooler: {
      name: 'LINCHPIN_PG_POOLER',
      default: '0',
      description:
        '`1` if `DATABASE_URL` leads to a [pooler in transaction mode](#poolers), such as pgbouncer',
      parse: parseFlag,
    },
    pgDirectUrl: {
      name: 'LINCHPIN_PG_DIRECT_URL',
      default: '',
      unset: '`DATABASE_URL`',
      description:
        '`postgres://…` past the pooler, for migrations, `doctor`, `db export` and `db import`',
      parse: parseOptional(parsePostgresUrl),
    },
  } satisfies SettingTable
}
