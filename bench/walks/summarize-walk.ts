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
    ({ file }) => !INFRASTRUCTURE.some((prefix) => file.startsWith(prefix)),
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

const INFRASTRUCTURE = [
  'platform/http/',
  'platform/storage/',
  'platform/vault/',
  'access/auth/',
  // Among them the hook of idempotency keys, which every POST passes.
  'app/',
  // In the background: when it runs depends on the machine.
  'platform/rounds.ts',
  // In the background, after each commit: numbering of events, their deliveries, and the chain of the audit trail.
  'activity/',
  'connect/links/link-counter-store.ts',
]
