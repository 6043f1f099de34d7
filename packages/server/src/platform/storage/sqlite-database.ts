import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { AUDIT_ENTRY_COLUMNS } from './audit-inbox.ts'
import { createKysely } from './create-kysely.ts'
import {
  type BuildPreparedQuery,
  compilePreparedQuery,
  type Database,
  type DatabaseOptions,
  type PreparedQuery,
} from './database.ts'
import {
  assertChecksum,
  createDatabaseFile,
  lockDatabaseFile,
  removeChecksum,
  storeChecksum,
  syncPathNow,
} from './database-file.ts'
import { createGroupCommit } from './group-commit.ts'
import { assertIntegrity, checkFile, markAsOpen, rewriteFile } from './integrity/integrity.ts'
import { MIGRATIONS, migrate, planMigrations } from './migrate.ts'
import { createListeners, createReadMeasurement, type OpenedDatabase } from './monitoring.ts'
import { createReaderThread, type ReaderThread } from './reader-thread.ts'
import {
  afterThisCallback,
  connectSqlite,
  createSharedSnapshot,
  type SharedSnapshot,
  type SqliteConnection,
} from './sqlite-connection.ts'
import { StorageError } from './storage-error.ts'

/**
 * Opens the SQLite file as a Database: one connection for writes and a read-only one on the same write-ahead log,
 * so that reads never see uncommitted data.
 */
export async function openSqlite(
  options: DatabaseOptions & { file: string },
): Promise<OpenedDatabase> {
  const { writer, reader, lock, marker, log } = connect(options)
  const snapshot = createSharedSnapshot(reader)
  const checkpoints = createReaderThread({ file: options.file, checkpoints: true })
  const truncation = createWalTruncation({
    truncate: () => commits.between(() => truncate(checkpoints, snapshot.leave)),
    isLong: () => log?.isLong() ?? false,
  })
  const commitListeners = createListeners()
  const commits = createGroupCommit(writer, {
    ...options,
    beforeCommit: log === undefined ? snapshot.leave : () => snapshot.hold(writer),
    onRollback: snapshot.release,
    // After a failure the snapshot stays held: what is committed may not be on the disk.
    sync: log && (() => log.sync().then(snapshot.release)),
    onCommit: (transactions) => {
      truncation.afterCommit()
      options.onCommit?.(transactions)
      commitListeners.call()
    },
  })
  const threads = createReaderThreads(options.file)
  // Also after a start: the process before may have erased something.
  let hasCopies = true
  return {
    // What another thread reads may be of a commit that is not durable yet.
    ...createReads(reader, snapshot, threads, () => commits.waitForSync()),
    transaction: (work) => commits.transaction(work),
    appendAuditEntry: (entry) =>
      commits.append(
        APPEND,
        AUDIT_ENTRY_COLUMNS.map((column) => entry[column]),
      ),
    onCommit: commitListeners.add,
    migrate: async (listener) => {
      for (const name of await commits.transaction(migrate)) listener?.onApplied?.(name)
    },
    truncateLog: () => {
      hasCopies = true
      return truncation.truncateNow()
    },
    rewriteFile: async () => {
      if (!hasCopies) return
      hasCopies = false
      await rewriteFile(options.file).catch((error: unknown) => {
        hasCopies = true
        throw error
      })
    },
    healthy: async () => !commits.hasFailed && isReadable(reader),
    connections: () => [],
    checkIntegrity: async (signal) => {
      if (marker === undefined || marker.requiresCheck) return
      await checkFile(options.file, signal).catch((error: unknown) => {
        if (error instanceof StorageError) marker.addDamage()
        throw error
      })
    },
    close: async () => {
      truncation.stop()
      await Promise.all([commits.drain(), threads.close()])
      await checkpoints.close()
      log?.close()
      snapshot.release()
      // The last connection to close checkpoints the log, which a read-only connection cannot do.
      reader.close()
      writer.close()
      if (lock !== undefined) storeChecksum(options.file)
      marker?.remove()
      lock?.close()
    },
  }
}

const APPEND = `insert into audit_inbox (${AUDIT_ENTRY_COLUMNS.join()}) values (${AUDIT_ENTRY_COLUMNS.map(() => '?').join()})`

/** Opens the SQLite file of a service that another process runs, for reads only. It neither migrates nor checkpoints. */
export async function openSqliteReader(file: string): Promise<OpenedDatabase> {
  const reader = connectReader(file)
  const snapshot = createSharedSnapshot(reader, afterThisCallback)
  const threads = createReaderThreads(file)
  const reject = () =>
    Promise.reject(new StorageError('unavailable', 'This process only reads the database'))
  return {
    ...createReads(reader, snapshot, threads, async () => {}),
    transaction: reject,
    appendAuditEntry: reject,
    onCommit: () => () => {},
    migrate: reject,
    truncateLog: async () => false,
    rewriteFile: reject,
    healthy: async () => isReadable(reader),
    connections: () => [],
    checkIntegrity: async () => {},
    close: async () => {
      await threads.close()
      snapshot.leave()
      reader.close()
    },
  }
}

/** The threads that read beside the main one. */
interface ReaderThreads {
  readonly aside: ReaderThread
  readonly long: ReaderThread
  close(): Promise<unknown>
}

function createReaderThreads(file: string): ReaderThreads {
  const aside = createReaderThread({ file })
  const long = createReaderThread({ file })
  return { aside, long, close: () => Promise.all([aside.close(), long.close()]) }
}

/** The reads of a database, on its connection for reads and on its threads; what these have read is passed on after `whenDurable`. */
function createReads(
  reader: SqliteConnection,
  snapshot: SharedSnapshot,
  { aside, long }: ReaderThreads,
  whenDurable: () => Promise<void>,
): Pick<
  Database,
  | 'dialect'
  | 'read'
  | 'onRead'
  | 'readDataVersion'
  | 'prepare'
  | 'listPendingMigrations'
  | 'isEmpty'
> {
  const read = createKysely('sqlite', async (query) => {
    snapshot.enter()
    return reader.query(query.sql, query.parameters)
  })
  const measurement = createReadMeasurement()
  return {
    dialect: 'sqlite',
    read,
    onRead: measurement.onRead,
    readDataVersion: () => snapshot.enter(),
    listPendingMigrations: async () => (await planMigrations(read, MIGRATIONS)).pending,
    isEmpty: async () => (await planMigrations(read, MIGRATIONS)).isNew,
    prepare: <P, R>(build: BuildPreparedQuery<P, R>): PreparedQuery<P, R> => {
      const query = compilePreparedQuery(read, build)
      const firstDirect = (params: P) => {
        snapshot.enter()
        return reader.first(query.sql, query.values(params)) as R | undefined
      }
      const all = async (params: P) => {
        snapshot.enter()
        return reader.query(query.sql, query.values(params)).rows as R[]
      }
      const readOn = (thread: ReaderThread) => (tenant: string, params: P) =>
        measurement.measure('aside', async () => {
          const rows = await thread.query(tenant, query.sql, query.values(params))
          await whenDurable()
          return rows as R[]
        })
      return {
        firstDirect,
        first: async (params) => firstDirect(params),
        all,
        allUnordered: all,
        allAside: readOn(aside),
        allLong: readOn(long),
      }
    },
  }
}

const OPEN_TIMEOUT_MS = 5000

function connect({ file, exclusive }: { file: string; exclusive?: boolean | undefined }) {
  const opened: SqliteConnection[] = []
  const track = (connection: SqliteConnection) => {
    opened.push(connection)
    return connection
  }
  try {
    const lock = exclusive === true ? track(lockDatabaseFile(file)) : undefined
    createDatabaseFile(file)
    assertChecksum(file)
    const marker = lock && markAsOpen(file)
    const writer = track(connectSqlite(file, { readOnly: false, busyTimeout: OPEN_TIMEOUT_MS }))
    removeChecksum(file)
    configureWriter(writer)
    // Otherwise the file is checked beside serving.
    if (marker?.requiresCheck) assertIntegrity(writer)
    // From now on, retries wait between iterations of the event loop instead of blocking it.
    writer.exec('PRAGMA busy_timeout = 0')
    const reader = track(connectReader(file))
    const log = lock && openLog(file, writer)
    return { lock, marker, writer, reader, log }
  } catch (error) {
    for (const connection of opened) connection.close()
    throw error
  }
}

function connectReader(file: string): SqliteConnection {
  const reader = connectSqlite(file, { readOnly: true, busyTimeout: OPEN_TIMEOUT_MS })
  reader.exec('PRAGMA cache_size = -64000')
  reader.exec('PRAGMA cell_size_check = ON')
  return reader
}

function configureWriter(writer: SqliteConnection): void {
  writer.exec('PRAGMA journal_mode = WAL')
  writer.exec('PRAGMA synchronous = FULL')
  writer.exec('PRAGMA foreign_keys = ON')
  writer.exec('PRAGMA secure_delete = ON')
  // Otherwise, what a savepoint may have to undo is written to a temporary file once it exceeds 64 KiB.
  writer.exec('PRAGMA temp_store = MEMORY')
  writer.exec('PRAGMA cell_size_check = ON')
  writer.exec('PRAGMA cache_size = -16000')
}

function isReadable(reader: SqliteConnection): boolean {
  try {
    return reader.query('SELECT count(*) FROM sqlite_schema', []).rows.length === 1
  } catch {
    return false
  }
}

/** The write-ahead log of a file whose commits do not sync it themselves. */
interface Log {
  /** Waits until everything that is in the log now is on the disk, on a thread of libuv. */
  sync(): Promise<void>
  /** Whether it is time for a checkpoint, which commits do not run either. */
  isLong(): boolean
  close(): void
}

/**
 * Commits of a service are synced beside the event loop, and nothing in this process sees them before. Only of a service: other
 * processes would see the commits of a command before they are durable. A checkpoint syncs the log itself before it copies
 * from it.
 */
function openLog(file: string, writer: SqliteConnection): Log {
  writer.exec('PRAGMA synchronous = NORMAL')
  writer.exec('PRAGMA wal_autocheckpoint = 0')
  const descriptor = openSync(`${file}-wal`, 'r+')
  // SQLite would sync the name of a new log together with its first commit.
  syncPathNow(path.dirname(path.resolve(file)))
  return {
    sync: () => syncData(descriptor),
    isLong: () => fstatSync(descriptor).size >= LONG_LOG_BYTES,
    close: () => closeSync(descriptor),
  }
}

const syncData = promisify(fdatasync)
/** As long as SQLite's own limit: 1,000 pages. */
const LONG_LOG_BYTES = 4 * 1024 * 1024

/** Removes overwritten and deleted values from the write-ahead log. */
interface WalTruncation {
  /** Must be called after each commit. */
  afterCommit(): void
  /** Truncates the log between two commits. Returns whether it is empty: a reader can prevent it. */
  truncateNow(): Promise<boolean>
  /** Stops the timer. Closing the last connection truncates the log anyway. */
  stop(): void
}

interface WalTruncationOptions {
  /** Returns whether the log is empty. */
  readonly truncate: () => Promise<boolean>
  /** Whether the log must not grow until the delay has passed. */
  readonly isLong: () => boolean
}

/**
 * Checkpoints and truncates the write-ahead log a few seconds after the first commit since the last truncation, and when it is
 * long. `secure_delete` zeroes deleted values in the file, but the log has earlier versions of each page until it is
 * truncated: a deleted credential would stay on disk while the service is idle. A checkpoint that fails or that a reader
 * blocks is retried.
 */
function createWalTruncation({ truncate, isLong }: WalTruncationOptions): WalTruncation {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  /** From the start of an attempt to its success. */
  let isTrying = false
  const schedule = (ms: number): void => {
    timer = setTimeout(run, ms).unref()
  }
  const run = async () => {
    clearTimeout(timer)
    timer = undefined
    isTrying = true
    if (!isStopped && !(await truncate()) && !isStopped) schedule(RETRY_MS)
    else isTrying = false
  }
  return {
    afterCommit() {
      if (isTrying) return
      if (isLong()) void run()
      else if (timer === undefined) schedule(DELAY_MS)
    },
    truncateNow: truncate,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

const DELAY_MS = 3_000
const RETRY_MS = 250

/** @returns whether the log is empty now */
async function truncate(thread: ReaderThread, leaveSnapshot: () => void): Promise<boolean> {
  try {
    leaveSnapshot()
    const [row] = await thread.query('', 'PRAGMA wal_checkpoint(TRUNCATE)', [])
    return (row as { readonly busy: number }).busy === 0
  } catch {
    // A full or failing disk: the log still has every commit, and the next commit reports the failure.
    return false
  }
}
