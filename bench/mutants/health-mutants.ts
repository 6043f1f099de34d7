import type { Mutant } from './mutant.ts'

const ACCOUNTS = 'packages/server/src/accounts/accounts'
const FIGURES = `${ACCOUNTS}/token-refresh/checks/check-figures.test.ts`
const OUTAGE =
  'changes at most five while the provider rejects all for an hour; all recover, and those revoked meanwhile are decided'

/** The controls of the simulated days: without each rule, a figure is missed. */
export const HEALTH_MUTANTS: readonly Mutant[] = [
  {
    name: 'accounts are checked although their use has proven their credentials',
    file: `${ACCOUNTS}/token-refresh/checks/check-loop.ts`,
    original: 'return lastOkAt === null || lastOkAt + 0.75 * intervalMs <= now',
    replacement: 'return lastOkAt !== undefined',
    caughtBy: {
      file: FIGURES,
      test: 'needs at most one check per account and second, and none for accounts in use',
    },
  },
  {
    name: 'the circuit breaker never opens',
    file: `${ACCOUNTS}/health/definition-breaker-store.ts`,
    original: 'if (count < ENOUGH_SUCCESSES) {',
    replacement: 'if (count < 0) {',
    caughtBy: { file: FIGURES, test: OUTAGE },
  },
  {
    name: 'successes of the last 30 minutes, before an outage, keep the circuit breaker closed',
    file: `${ACCOUNTS}/health/definition-breaker-store.ts`,
    original: 'after: Math.min(...rejected.map((each) => each.rejected_at)),',
    replacement: 'after: Math.max(...rejected.map((each) => each.rejected_at)) - WINDOW_MS,',
    caughtBy: { file: FIGURES, test: OUTAGE },
  },
  {
    name: 'a provider that cannot be reached counts as one that rejects',
    file: `${ACCOUNTS}/token-refresh/checks/check-credentials.ts`,
    original: '(isRejected ? storeRejected : storeUndecided)',
    replacement: '(isRejected || !outcome.result.status ? storeRejected : storeUndecided)',
    caughtBy: {
      file: FIGURES,
      test: 'changes none while the provider is away for 12 hours',
    },
  },
]
