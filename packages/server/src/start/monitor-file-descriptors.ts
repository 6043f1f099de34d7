import { closeSync, openSync } from 'node:fs'
import type { Log } from '../http/log.ts'

const CHECK_INTERVAL_MS = 1_000
const LOG_INTERVAL_MS = 60_000

/** Detects that the process, or the system, has run out of file descriptors. */
export interface FileDescriptorMonitor {
  /** Logs when the text contains EMFILE or ENFILE, at most once a minute. */
  recordMessage(text: string): void
  /** Opens a file to find out whether a descriptor is left. */
  check(): void
  stop(): void
}

/**
 * Logs when the process reaches its limit of file descriptors. libuv closes connections that it cannot accept and reports
 * nothing, so this opens a file every second to find out.
 */
export function monitorFileDescriptors(
  log: Pick<Log, 'error'>,
  now: () => number,
  probe: () => void = openAndCloseFile,
): FileDescriptorMonitor {
  let loggedAt = Number.NEGATIVE_INFINITY
  const recordMessage = (text: string) => {
    const code = /\b(?:EMFILE|ENFILE)\b/.exec(text)?.[0]
    if (code === undefined || now() - loggedAt < LOG_INTERVAL_MS) return
    loggedAt = now()
    log.error({ code }, 'no file descriptor is left: connections are rejected')
  }
  const check = () => {
    try {
      probe()
    } catch (error) {
      recordMessage(String((error as { code?: unknown }).code))
    }
  }
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref()
  return { recordMessage, check, stop: () => clearInterval(timer) }
}

function openAndCloseFile(): void {
  closeSync(openSync('/dev/null', 'r'))
}
