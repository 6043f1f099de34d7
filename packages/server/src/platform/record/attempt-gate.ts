import { hash } from 'node:crypto'

/**
 * Keeps floods of attempts without an account from the database: some are refused before anything is sent, so they cost their
 * sender nothing. Counts in the memory of this node.
 */
export interface AttemptGate {
  /**
   * Whether a refused attempt may be stored: once a minute for the same facts, and 20 times a minute for what it came through.
   *
   * @param scope what it came through: a link or a token
   */
  admits(scope: string, facts: readonly (string | null | undefined)[]): boolean
  /** Notes that the database has no room for attempts of this scope, for a minute. */
  close(scope: string): void
  isClosed(scope: string): boolean
}

/** Creates a gate. `now` is in epoch milliseconds. */
export function createAttemptGate(now: () => number): AttemptGate {
  let minute = 0
  const seen = new Map<string, Set<string>>()
  const closed = new Set<string>()
  const startMinute = () => {
    const current = Math.floor(now() / MINUTE_MS)
    if (current === minute) return
    minute = current
    seen.clear()
    closed.clear()
  }
  return {
    admits(scope, facts) {
      startMinute()
      const known = seen.get(scope) ?? new Set<string>()
      const key = hash('sha256', JSON.stringify(facts), 'base64')
      if (known.has(key) || known.size >= MAX_PER_SCOPE) return false
      if (known.size === 0 && seen.size >= MAX_SCOPES) return false
      seen.set(scope, known.add(key))
      return true
    },
    close(scope) {
      startMinute()
      if (closed.size < MAX_SCOPES) closed.add(scope)
    },
    isClosed(scope) {
      startMinute()
      return closed.has(scope)
    },
  }
}

const MINUTE_MS = 60_000
const MAX_PER_SCOPE = 20
const MAX_SCOPES = 2_000
