import type { AuthErrorRule, AuthErrorValue } from '@linchpin/runner'

/** Limits of the rules of `x-auth-errors` and `x-refresh-errors`. */
export const AUTH_ERROR_LIMITS = { rules: 20, paths: 5, values: 20, steps: 10, characters: 200 }

/** A compiled rule about the status and the JSON body of a response. */
export interface CompiledResponseRule {
  /** Undefined: any status. */
  readonly statuses: readonly number[] | undefined
  readonly conditions: readonly {
    readonly steps: readonly string[]
    readonly expected: AuthErrorValue
  }[]
}

/** Undefined if the rule is invalid: older stored specs were not validated. */
export function compileResponseRule(
  rule: Partial<AuthErrorRule> | null,
): CompiledResponseRule | undefined {
  const { status, match = {} } = rule ?? {}
  if (typeof match !== 'object' || match === null) return undefined
  const conditions = Object.entries(match).map(([path, expected]) => ({
    steps: parseFieldPath(path),
    expected,
  }))
  if (conditions.length > AUTH_ERROR_LIMITS.paths) return undefined
  if (conditions.length === 0 && status === undefined) return undefined
  return { statuses: status === undefined ? undefined : [status].flat(), conditions }
}

/** Whether a response matches a rule. Takes time linear in the size of the body for each condition. */
export function matchesResponseRule(
  { statuses, conditions }: CompiledResponseRule,
  status: number,
  body: unknown,
): boolean {
  return (
    (statuses === undefined || statuses.includes(status)) &&
    conditions.every(({ steps, expected }) => matchesPath(body, steps, 0, expected))
  )
}

/** Splits a path such as `errors.*.extensions.code`. `\.` is a dot inside a name. */
export function parseFieldPath(path: string): string[] {
  return path.split(/(?<!\\)\./).map((step) => step.replaceAll('\\.', '.'))
}

/** `*` matches any element of an array. */
function matchesPath(
  value: unknown,
  steps: readonly string[],
  index: number,
  expected: AuthErrorValue,
): boolean {
  const step = steps[index]
  if (step === undefined) return matchesValue(value, expected)
  if (step === '*' && Array.isArray(value))
    return value.some((each) => matchesPath(each, steps, index + 1, expected))
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return false
  return matchesPath((value as Record<string, unknown>)[step], steps, index + 1, expected)
}

function matchesValue(actual: unknown, expected: AuthErrorValue): boolean {
  if (Array.isArray(expected)) return expected.includes(actual as never)
  if (typeof expected === 'object' && expected !== null && 'startsWith' in expected)
    return (
      typeof actual === 'string' &&
      typeof expected.startsWith === 'string' &&
      actual.startsWith(expected.startsWith)
    )
  return actual === expected
}
