/** How the CPU time of an operation grows with its input. */
export interface CpuTimeGrowth {
  /** The time of the largest input divided by that of the smallest. */
  readonly ratio: number
  /** The time of the largest input, in milliseconds. */
  readonly largestMs: number
}

/**
 * Measures an operation on inputs of several sizes, in CPU time of this process and as the minimum of five runs, so
 * that a busy machine does not matter. Times below 2 ms count as 2 ms: their ratio is meaningless.
 */
export function measureCpuTimeGrowth(
  sizes: readonly number[],
  prepare: (size: number) => () => unknown,
): CpuTimeGrowth {
  const times = sizes.map((size) => measureMinCpuMs(prepare(size)))
  const smallest = Math.max(times[0] ?? 0, FLOOR_MS)
  const largestMs = times.at(-1) ?? 0
  return { ratio: Math.max(largestMs, FLOOR_MS) / smallest, largestMs }
}

const FLOOR_MS = 2
const RUNS = 5
/** A run that takes longer than this is not repeated. */
const LONG_MS = 1_000

function measureMinCpuMs(work: () => unknown): number {
  let minimum = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS && (run === 0 || minimum < LONG_MS); run++) {
    const start = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(start)
    minimum = Math.min(minimum, (user + system) / 1_000)
  }
  return minimum
}
