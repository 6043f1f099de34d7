import { insufficientScope } from '../../platform/errors.ts'

/** The parts of `write`. Each writing operation requires exactly one of them. */
export const WRITE_SCOPES = [
  'links:write',
  'accounts:write',
  'definitions:write',
  'apps:write',
  'workspace:write',
] as const

/** The scopes of a token (decision 022). `write` is the sum of its parts; no other scope implies another. */
export const SCOPES = [
  'admin',
  'read',
  'write',
  ...WRITE_SCOPES,
  'credentials:read',
  'audit:read',
  'proxy',
  'tokens',
  'webhooks',
] as const
export type Scope = (typeof SCOPES)[number]

/** A scope that an operation can require: never `write`, because each writing operation names its part. */
export type OperationScope = Exclude<Scope, 'write'>

/**
 * The scopes that a stored list grants: `write` grants its parts, and all of its parts together grant `write`. The
 * stored list is unchanged.
 */
export function getGrantedScopes(stored: string): ReadonlySet<string> {
  const scopes = new Set(stored.split(' '))
  if (scopes.has('write')) for (const part of WRITE_SCOPES) scopes.add(part)
  else if (WRITE_SCOPES.every((part) => scopes.has(part))) scopes.add('write')
  return scopes
}

/** The default scopes of a new token: `read` and `write`, limited to those in `granted`. */
export function getDefaultScopes(granted: ReadonlySet<string>): string[] {
  const defaults = granted.has('write') ? ['read', 'write'] : ['read', ...WRITE_SCOPES]
  return defaults.filter((scope) => granted.has(scope))
}

/** @throws ApiError `insufficient_scope`; its message names every sufficient scope */
export function assertScopeGranted(granted: ReadonlySet<string>, scope: string): void {
  if (!granted.has(scope)) throw insufficientScope(listSufficientScopes(scope).join(' or '))
}

/** The scopes that satisfy a requirement of `scope`. */
export function listSufficientScopes(scope: string): string[] {
  return WRITE_SCOPES.some((part) => part === scope) ? [scope, 'write'] : [scope]
}
