import { insufficientScope } from '../errors.ts'

/** The parts of `write`. Each writing operation needs exactly one of them. */
export const WRITE_SCOPES = [
  'links:write',
  'accounts:write',
  'definitions:write',
  'apps:write',
  'workspace:write',
] as const

/** What a token may be allowed to do (decision 022). `write` is the sum of its parts; nothing else implies anything. */
export const SCOPES = [
  'admin',
  'read',
  'write',
  ...WRITE_SCOPES,
  'credentials:read',
  'proxy',
  'tokens',
] as const
export type Scope = (typeof SCOPES)[number]

/** What an operation may need: never `write`, so that each writing operation names its part. */
export type OperationScope = Exclude<Scope, 'write'>

/**
 * The scopes that a stored list grants: `write` grants its parts, and all of its parts together grant `write`. The
 * stored list stays as it was written.
 */
export function grantedScopes(stored: string): ReadonlySet<string> {
  const scopes = new Set(stored.split(' '))
  if (scopes.has('write')) for (const part of WRITE_SCOPES) scopes.add(part)
  else if (WRITE_SCOPES.every((part) => scopes.has(part))) scopes.add('write')
  return scopes
}

/** The scopes of a new token for which none are given: `read` and `write`, as far as `granted` has them. */
export function defaultScopes(granted: ReadonlySet<string>): string[] {
  const defaults = granted.has('write') ? ['read', 'write'] : ['read', ...WRITE_SCOPES]
  return defaults.filter((scope) => granted.has(scope))
}

/** @throws ApiError `insufficient_scope`, which names `write` too where that would do */
export function assertScopeGranted(granted: ReadonlySet<string>, scope: string): void {
  if (!granted.has(scope)) throw insufficientScope(sufficientScopes(scope).join(' or '))
}

/** The scopes of which a token needs one where `scope` is needed. */
export function sufficientScopes(scope: string): string[] {
  return WRITE_SCOPES.some((part) => part === scope) ? [scope, 'write'] : [scope]
}
