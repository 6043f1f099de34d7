import type { FailedCheckBudgets } from '../src/connect-page/limits/failed-check-limiter.ts'

const UNLIMITED = { capacity: 10_000, refillMs: 1, maxKeys: 100 }

/** For tests in which one visitor sends more wrong credentials than a person would. */
export const UNLIMITED_BUDGETS: FailedCheckBudgets = {
  visitor: UNLIMITED,
  network: UNLIMITED,
  wideNetwork: UNLIMITED,
  undelayed: UNLIMITED,
}
