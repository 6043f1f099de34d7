import { parentPort, workerData } from 'node:worker_threads'
import { connectSqlite } from './sqlite-connection.ts'
import { StorageError, type StorageErrorKind } from './storage-error.ts'

/** What this thread answers to each statement, in their order. */
export type ReaderReply =
  | { readonly rows: unknown[] }
  | { readonly error: { readonly kind?: StorageErrorKind | undefined; readonly message: string } }

// A thread with its own read-only connection: see reader-thread.ts. A statement is a transaction of its own, so the log
// can be checkpointed between any two.
const { file, checkpoints } = workerData as { readonly file: string; readonly checkpoints: boolean }
// Writers wait for a checkpoint, so it does not wait long for readers.
const connection = connectSqlite(file, {
  readOnly: !checkpoints,
  busyTimeout: checkpoints ? 25 : 5_000,
})
connection.exec('PRAGMA cache_size = -16000')
connection.exec('PRAGMA cell_size_check = ON')

parentPort?.on('message', (message: 'close' | { sql: string; parameters: unknown[] }) => {
  if (message === 'close') {
    connection.close()
    parentPort?.close()
    return
  }
  const reply = run(message)
  parentPort?.postMessage(reply, 'rows' in reply ? findBuffers(reply.rows) : [])
})

function run({ sql, parameters }: { sql: string; parameters: unknown[] }): ReaderReply {
  try {
    return { rows: connection.query(sql, parameters).rows }
  } catch (error) {
    const kind = error instanceof StorageError ? error.kind : undefined
    return { error: { kind, message: (error as Error).message } }
  }
}

function findBuffers(rows: readonly unknown[]): ArrayBuffer[] {
  return rows
    .flatMap((row) => Object.values(row as object))
    .flatMap((value) => (value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : []))
}
