import type pg from 'pg'
import { StoragePoolerError } from '../storage-error.ts'
import { PostgresClient } from './postgres-client.ts'
import type { PostgresOptions } from './postgres-options.ts'
import { buildConnectionConfig } from './postgres-pool.ts'

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
