import type { AuthErrorRule, AuthErrorValue, Spec } from '@linchpin/runner'
import { AUTH_ERROR_LIMITS, pathSteps } from '../definition/spec/auth-error-path.ts'

/** A rule of `x-auth-errors`, ready for use. */
export interface ReadyAuthError {
  /** Undefined: any status. */
  readonly statuses: readonly number[] | undefined
  readonly conditions: readonly {
    readonly steps: readonly string[]
    readonly wanted: AuthErrorValue
  }[]
}

/**
 * The rules by which answers tell that credentials do not work any more: those of the auth type, else those of the spec.
 * Specs that were stored before rules had a form may hold anything: what is no rule is left out.
 */
export function authErrorsOf(spec: Spec, authType: string): ReadyAuthError[] {
  const own = Object.hasOwn(spec.auth_specification, authType)
    ? spec.auth_specification[authType]?.['x-auth-errors']
    : undefined
  const rules: unknown = own ?? spec['x-auth-errors']
  if (!Array.isArray(rules)) return []
  return rules.slice(0, AUTH_ERROR_LIMITS.rules).flatMap((rule) => ready(rule) ?? [])
}

function ready(rule: Partial<AuthErrorRule> | null): ReadyAuthError | undefined {
  const { status, match } = rule ?? {}
  if (typeof match !== 'object' || match === null) return undefined
  const conditions = Object.entries(match).map(([path, wanted]) => ({
    steps: pathSteps(path),
    wanted,
  }))
  if (conditions.length === 0 || conditions.length > AUTH_ERROR_LIMITS.paths) return undefined
  return { statuses: status === undefined ? undefined : [status].flat(), conditions }
}

/** Whether an answer fits one of the rules. Takes time in proportion to the size of the body, for each condition. */
export function isAuthError(
  rules: readonly ReadyAuthError[],
  status: number,
  body: unknown,
): boolean {
  return rules.some(
    ({ statuses, conditions }) =>
      (statuses === undefined || statuses.includes(status)) &&
      conditions.every(({ steps, wanted }) => isFound(body, steps, 0, wanted)),
  )
}

/** `*` is any element of an array. */
function isFound(
  value: unknown,
  steps: readonly string[],
  index: number,
  wanted: AuthErrorValue,
): boolean {
  const step = steps[index]
  if (step === undefined) return isWanted(value, wanted)
  if (step === '*' && Array.isArray(value))
    return value.some((each) => isFound(each, steps, index + 1, wanted))
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return false
  return isFound((value as Record<string, unknown>)[step], steps, index + 1, wanted)
}

function isWanted(found: unknown, wanted: AuthErrorValue): boolean {
  if (Array.isArray(wanted)) return wanted.includes(found as never)
  if (typeof wanted === 'object' && wanted !== null && 'startsWith' in wanted)
    return (
      typeof found === 'string' &&
      typeof wanted.startsWith === 'string' &&
      found.startsWith(wanted.startsWith)
    )
  return found === wanted
}
