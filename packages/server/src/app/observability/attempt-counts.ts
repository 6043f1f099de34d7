import { KNOWN_CHECK_CODES } from '../../connect/attempts/attempt.ts'
import { ERRORS } from '../../platform/error-codes.ts'
import type { AttemptCounter, CountedAttempt } from '../../platform/record/attempt.ts'
import type { Instruments } from './metrics/instruments.ts'

/** The attempts to connect accounts that this process has seen, by what its metrics tell apart. */
export interface AttemptCounts extends AttemptCounter {
  list(): Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly count: number }>
}

/**
 * Counts in memory. Names that a tenant or a visitor chooses are no labels: they would be unbounded and reveal tenants. All
 * definitions outside the catalogue are `custom`, and a code that is not documented is `other`.
 */
export function createAttemptCounts(): AttemptCounts {
  const entries = new Map<string, { labels: Record<string, string>; count: number }>()
  const tools = new Set<string>()
  const nameTool = (definition: CountedAttempt['definition']) => {
    if (definition === undefined) return 'unknown'
    const { key, latestVersion } = definition
    if (latestVersion === null || !KEY.test(key)) return 'custom'
    if (tools.size < MAX_TOOLS) tools.add(key)
    return tools.has(key) ? key : 'other'
  }
  return {
    add({ definition, method, outcome, code }) {
      const labels = {
        definition: nameTool(definition),
        method,
        outcome,
        code: code === null || CODES.has(code) ? (code ?? '') : 'other',
      }
      const key = Object.values(labels).join(' ')
      const entry = entries.get(key)
      if (entry === undefined) entries.set(key, { labels, count: 1 })
      else entry.count += 1
    },
    list: () => entries.values(),
  }
}

const CODES: ReadonlySet<string> = new Set([...Object.keys(ERRORS), ...KNOWN_CHECK_CODES])
const KEY = /^[\w.-]{1,100}$/
/** A registry may have any number. */
const MAX_TOOLS = 1_000

/** Registers the metric of attempts. */
export function registerAttemptMetrics({ counter }: Instruments, counts: AttemptCounts): void {
  counter('linchpin_connect_attempts_total', () =>
    [...counts.list()].map(({ labels, count }) => ({ labels, value: count })),
  )
}
