import type { Spec } from '@linchpin/runner'
import {
  AUTH_ERROR_LIMITS,
  type CompiledResponseRule,
  compileResponseRule,
  matchesResponseRule,
} from '../../integrations/oauth/spec/response-rules.ts'

/**
 * Compiles the rules for responses that mean invalid credentials: those of the auth type, otherwise those of the spec.
 * Skips invalid rules, because older stored specs were not validated.
 */
export function compileAuthErrorRules(spec: Spec, authType: string): CompiledResponseRule[] {
  const authTypeRules = Object.hasOwn(spec.auth_specification, authType)
    ? spec.auth_specification[authType]?.['x-auth-errors']
    : undefined
  const rules: unknown = authTypeRules ?? spec['x-auth-errors']
  if (!Array.isArray(rules)) return []
  return rules
    .slice(0, AUTH_ERROR_LIMITS.rules)
    .flatMap((rule) => compileResponseRule(rule) ?? [])
    .filter(({ statuses, conditions }) => conditions.length > 0 || isClientError(statuses))
}

/** Without a condition for the body: any other status would make every such response an invalid credential. */
function isClientError(statuses: CompiledResponseRule['statuses']): boolean {
  return statuses?.every((each) => each >= 400 && each <= 499) ?? false
}

/** Whether a response matches one of the rules; `body` is undefined if it is not JSON or was not read. */
export function isAuthError(
  rules: readonly CompiledResponseRule[],
  status: number,
  body: unknown,
): boolean {
  return rules.some((rule) => matchesResponseRule(rule, status, body))
}
