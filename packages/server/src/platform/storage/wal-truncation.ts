import type { SqliteConnection } from './sqlite-connection.ts'

/** Removes overwritten and deleted values from the write-ahead log. */
export interface WalTruncation {
  /** Must be called after each commit. */
  afterCommit(): void
  /** Truncates the log immediately. Returns whether it is empty: a reader or a transaction can prevent it. */
  truncateNow(): boolean
  /** Stops the timer. Closing the last connection truncates the log anyway. */
  stop(): void
}

export interface WalTruncationOptions {
  readonly writer: SqliteConnection
  /** Ends the read transaction of this process, which would block the checkpoint. */
  readonly leaveSnapshot: () => void
  /** Delay after a commit, in milliseconds. Default: 3,000. */
  readonly delayMs?: number | undefined
}

/**
 * Checkpoints and truncates the write-ahead log a few seconds after the first commit since the last truncation.
 * `secure_delete` zeroes deleted values in the file, but the log has earlier versions of each page until it is
 * truncated: a deleted credential would stay on disk while the service is idle. A checkpoint that fails or that a reader
 * blocks is retried.
 */
export function createWalTruncation(options: WalTruncationOptions): WalTruncation {
  const { writer, leaveSnapshot, delayMs = DELAY_MS } = options
  let timer: NodeJS.Timeout | undefined
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      timer = undefined
      if (!truncate(writer, leaveSnapshot)) schedule(RETRY_MS)
    }, ms).unref()
  }
  return {
    afterCommit() {
      if (timer === undefined) schedule(delayMs)
    },
    truncateNow: () => truncate(writer, leaveSnapshot),
    stop: () => clearTimeout(timer),
  }
}

const DELAY_MS = 3_000
const RETRY_MS = 250

/** @returns whether the log is empty now */
function truncate(writer: SqliteConnection, leaveSnapshot: () => void): boolean {
  if (writer.isInTransaction) return false
  try {
    leaveSnapshot()
    const [row] = writer.query('PRAGMA wal_checkpoint(TRUNCATE)', []).rows as { busy: number }[]
    return row?.busy === 0
  } catch {
    // A full or failing disk: the log still has every commit, and the next commit reports the failure.
    return false
  }
}
