import type { RunnerOptions } from '../src/index.ts'

/** For runners in tests: a starved machine is not what is tested, so calls wait for their child and children are not nice. */
export const BUSY_MACHINE_OPTIONS = {
  maxQueuedMs: 300_000,
  startTimeoutMs: 300_000,
  niceness: { shared: 0, isolated: 0 },
} satisfies Partial<RunnerOptions>
