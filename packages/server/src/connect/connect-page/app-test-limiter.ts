import { setBounded } from '../../platform/set-bounded.ts'
import type { ConnectSessionId } from '../connect-sessions/connect-session.ts'

/** Limits the tests of OAuth apps that are entered on a page: each sends a client ID and a secret to a provider. */
export interface AppTestLimiter {
  /** Takes a test from the budget of a session. @returns the seconds to wait if it is used up; 0 otherwise */
  take(connectSessionId: ConnectSessionId): number
}

/** Tests of a session per hour. */
export const MAX_TESTS = 10
const HOUR_MS = 60 * 60_000

/** Counts in the memory of this node. @param now epoch milliseconds */
export function createAppTestLimiter({ now }: { readonly now: () => number }): AppTestLimiter {
  const tests = new Map<ConnectSessionId, readonly number[]>()
  return {
    take(connectSessionId) {
      const time = now()
      const recent = (tests.get(connectSessionId) ?? []).filter((at) => at > time - HOUR_MS)
      const [first] = recent
      if (first !== undefined && recent.length >= MAX_TESTS)
        return Math.ceil((first + HOUR_MS - time) / 1_000)
      setBounded(tests, connectSessionId, [...recent, time])
      return 0
    },
  }
}
