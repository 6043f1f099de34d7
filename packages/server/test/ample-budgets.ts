import type { FailedCheckBudgets } from '../src/link-page/send/failed-checks.ts'

const AMPLE = { capacity: 10_000, refillMs: 1, maxKeys: 100 }

/** For tests in which one visitor sends more wrong credentials than a person would. */
export const AMPLE_BUDGETS: FailedCheckBudgets = {
  visitor: AMPLE,
  network: AMPLE,
  wideNetwork: AMPLE,
  undelayed: AMPLE,
}
