import type { RunnerOptions } from '../src/index.ts'

/**
 * Options for runners in tests, which must pass on a busy machine: calls wait longer for their child, and children have
 * the normal priority.
 */
export const BUSY_MACHINE_OPTIONS = {
  maxQueuedMs: 300_000,
  startTimeoutMs: 300_000,
  niceness: { shared: 0, isolated: 0 },
} satisfies Partial<RunnerOptions>
