import type { FailedCheckBudgets } from '../src/connect/connect-page/failed-check-limiter.ts'

const UNLIMITED = { capacity: 10_000, refillMs: 1, maxKeys: 100 }

/** For tests in which one client submits wrong credentials more often than the limits allow. */
export const UNLIMITED_BUDGETS: FailedCheckBudgets = {
  visitor: UNLIMITED,
  network: UNLIMITED,
  wideNetwork: UNLIMITED,
  undelayed: UNLIMITED,
}
