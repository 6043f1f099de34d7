import { createScrubber } from '../redact-secrets.ts'

/** The known keys of a result of CHECK, without secrets of the configuration: people see it. */
export function scrubCheckResult(value: unknown, config: unknown): unknown {
  if (!isRecord(value)) return value
  const scrub = createScrubber(config)
  const entries = CHECK_RESULT_KEYS.filter((key) => Object.hasOwn(value, key)).map((key) => {
    const each = value[key]
    return [key, typeof each === 'string' ? scrub(each) : each] as const
  })
  return Object.fromEntries(
    entries.filter(([, each]) => each !== undefined && (each === null || typeof each !== 'object')),
  )
}

/** The keys of a `CheckResult`. All other keys are dropped. */
const CHECK_RESULT_KEYS: readonly string[] = [
  'status',
  'error',
  'code',
  'field',
  'hint',
  'retryable',
]

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
