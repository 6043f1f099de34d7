import type { Entry } from './trace-modules.ts'

/** The files and functions that a reader passes when following one request through the server. */
export interface Walk {
  /** Files with a function that was entered. */
  readonly files: number
  readonly functions: number
  /** Entries in another file than the one before. */
  readonly hops: number
  /** Hops into a file that was entered before. */
  readonly returns: number
  /** Files in the order of their first entry. */
  readonly path: readonly string[]
}

/** Summarizes the entries outside the code that every request passes. */
export function summarizeWalk(entries: readonly Entry[]): Walk {
  const domain = entries.filter(
    ({ file }) => !INFRASTRUCTURE.has(file.split('/', 1)[0] ?? '') && !file.startsWith(COUNTERS),
  )
  const functions = new Set(domain.map(({ file, line }) => `${file}:${line}`))
  const visitedFiles = new Set<string>()
  let current: string | undefined
  let hops = 0
  let returns = 0
  for (const { file } of domain) {
    if (current !== undefined && file !== current) {
      hops++
      if (visitedFiles.has(file)) returns++
    }
    visitedFiles.add(file)
    current = file
  }
  return {
    files: visitedFiles.size,
    functions: functions.size,
    hops,
    returns,
    path: [...visitedFiles],
  }
}

const INFRASTRUCTURE: ReadonlySet<string> = new Set([
  'http',
  'auth',
  'storage',
  'vault',
  'observability',
  'app.ts',
  'app-services.ts',
  'reads.ts',
  // A hook of every POST.
  'idempotency',
  // In the background: when it runs depends on the machine.
  'rounds.ts',
  // In the background, after each commit: numbering of events, their deliveries, and the chain of the audit trail.
  'events',
  'webhooks',
  'audit',
])

/** Counts for metrics, which are stored in the background. */
const COUNTERS = 'links/counters/'
