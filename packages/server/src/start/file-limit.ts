import { closeSync, openSync } from 'node:fs'
import type { Log } from '../http/log.ts'

const LOOK_EVERY_MS = 1_000
const LOG_EVERY_MS = 60_000

/** What notices that the process, or the system, has no file descriptor left. */
export interface FileLimit {
  /** Logs when the text names the error of a used-up limit, at most once a minute. */
  note(text: string): void
  /** Opens a file to see whether that is possible. */
  look(): void
  stop(): void
}

/**
 * Logs when the limit of file descriptors is hit. libuv closes connections that it cannot accept and reports nothing, so
 * a file is opened every second to find out.
 */
export function watchFileLimit(
  log: Pick<Log, 'error'>,
  now: () => number,
  probe: () => void = openAndClose,
): FileLimit {
  let loggedAt = Number.NEGATIVE_INFINITY
  const note = (text: string) => {
    const code = /\b(?:EMFILE|ENFILE)\b/.exec(text)?.[0]
    if (code === undefined || now() - loggedAt < LOG_EVERY_MS) return
    loggedAt = now()
    log.error({ code }, 'no file descriptor is left: connections are refused')
  }
  const look = () => {
    try {
      probe()
    } catch (error) {
      note(String((error as { code?: unknown }).code))
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  return { note, look, stop: () => clearInterval(timer) }
}

function openAndClose(): void {
  closeSync(openSync('/dev/null', 'r'))
}
