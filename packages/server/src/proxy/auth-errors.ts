import type { AuthErrorRule, AuthErrorValue, Spec } from '@linchpin/runner'
import { AUTH_ERROR_LIMITS, parseFieldPath } from '../definitions/spec/auth-errors-schema.ts'

/** A compiled rule of `x-auth-errors`. */
export interface CompiledAuthErrorRule {
  /** Undefined: any status. */
  readonly statuses: readonly number[] | undefined
  readonly conditions: readonly {
    readonly steps: readonly string[]
    readonly expected: AuthErrorValue
  }[]
}

/**
 * Compiles the rules for responses that mean invalid credentials: those of the auth type, otherwise those of the spec.
 * Skips invalid rules, because older stored specs were not validated.
 */
export function compileAuthErrorRules(spec: Spec, authType: string): CompiledAuthErrorRule[] {
  const authTypeRules = Object.hasOwn(spec.auth_specification, authType)
    ? spec.auth_specification[authType]?.['x-auth-errors']
    : undefined
  const rules: unknown = authTypeRules ?? spec['x-auth-errors']
  if (!Array.isArray(rules)) return []
  return rules.slice(0, AUTH_ERROR_LIMITS.rules).flatMap((rule) => compileRule(rule) ?? [])
}

function compileRule(rule: Partial<AuthErrorRule> | null): CompiledAuthErrorRule | undefined {
  const { status, match = {} } = rule ?? {}
  if (typeof match !== 'object' || match === null) return undefined
  const conditions = Object.entries(match).map(([path, expected]) => ({
    steps: parseFieldPath(path),
    expected,
  }))
  const statuses = status === undefined ? undefined : [status].flat()
  const isStatusRule = statuses?.every((each) => each >= 400 && each <= 499) ?? false
  if (conditions.length === 0 && !isStatusRule) return undefined
  return conditions.length > AUTH_ERROR_LIMITS.paths ? undefined : { statuses, conditions }
}

/** Whether a response matches one of the rules; `body` is undefined if it is not JSON or was not read. Takes time linear in the size of the body for each condition. */
export function isAuthError(
  rules: readonly CompiledAuthErrorRule[],
  status: number,
  body: unknown,
): boolean {
  return rules.some(
    ({ statuses, conditions }) =>
      (statuses === undefined || statuses.includes(status)) &&
      conditions.every(({ steps, expected }) => matchesPath(body, steps, 0, expected)),
  )
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
