import type { SqliteConnection } from './sqlite-connection.ts'

/** Removes what commits have overwritten or deleted from the write-ahead log. */
export interface WalTruncation {
  /** To be called after each commit. */
  afterCommit(): void
  /** Ends the timer. Closing the last connection empties the log anyway. */
  stop(): void
}

export interface WalTruncationOptions {
  readonly writer: SqliteConnection
  /** Ends the read transaction of this process, which would block the checkpoint. */
  readonly leaveSnapshot: () => void
  /** How long commits are collected, in milliseconds. Default: 3,000. */
  readonly delayMs?: number | undefined
}

/**
 * Copies the write-ahead log into the file and truncates it, a few seconds after the first commit since the last time.
 * `secure_delete` zeroes erased values in the file, but the log holds earlier versions of each page until it is reset: a
 * deleted credential would stay on disk for as long as the service is idle. A checkpoint that a reader blocks, or that
 * fails, is tried again.
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
    // A full or failing disk: the log keeps every commit, and the next commit reports the failure.
    return false
  }
}
