import type pg from 'pg'
import { toStorageError } from '../storage-error.ts'
import { PostgresClient } from './postgres-client.ts'

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
