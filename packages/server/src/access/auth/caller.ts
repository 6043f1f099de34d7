import { ApiError, insufficientScope, notFound } from '../../platform/errors.ts'
import type { IdempotencyClaim } from '../../platform/record/change.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { TokenRates } from './request-rates.ts'

/** The rows that a caller can access. Every method of a store takes it and adds it to the WHERE clause. */
export interface WorkspaceAccess {
  readonly userId: Id<'usr'>
  /** The workspace that the token is bound to; null for all workspaces of the user. */
  readonly boundWorkspaceId: Id<'wsp'> | null
}

/** Whether the token is bound to no other workspace than this one. Who owns the workspace is for a store to check. */
export function coversWorkspace(
  { boundWorkspaceId }: WorkspaceAccess,
  workspaceId: Id<'wsp'>,
): boolean {
  return boundWorkspaceId === null || boundWorkspaceId === workspaceId
}

/** An authenticated caller. */
export interface Caller extends WorkspaceAccess {
  readonly tokenId: Id<'tok'>
  /** The member who acts in the console, where `userId` is the owner of the workspace. */
  readonly personId?: Id<'usr'> | undefined
  /** All scopes that the token grants: `write` is expanded to its parts, and all parts together to `write`. */
  readonly scopes: ReadonlySet<string>
  /** Epoch milliseconds; null if the token does not expire. */
  readonly expiresAt: number | null
  /** The accounts that the token is bound to; null or absent for all. */
  readonly accountIds?: ReadonlySet<string> | null
  readonly requestId: string
  /** `console`: a person acts there. `mcp`: an agent calls a tool. Absent: an ordinary request to the API. */
  readonly via?: 'console' | 'mcp'
  /** Present if it is the token of an agent session. */
  readonly kind?: 'agent'
  /** Whether the person has let the agent read only. */
  readonly isReadOnly?: boolean
  /** The limits of the token; undefined without any. */
  readonly rates?: TokenRates | undefined
  /** Present if the request has an idempotency key. */
  readonly idempotencyClaim?: IdempotencyClaim
  /** The client's address as the audit trail records it. */
  readonly ip?: string | null | undefined
  /** Whether the token still gives the access of the request: for what is read later. @throws ApiError as at its start */
  readonly reauthenticate?: (() => Promise<void>) | undefined
  /** Adds fields to the log line of the request. They must contain no secrets. */
  readonly addLogFields?: ((fields: Readonly<Record<string, string>>) => void) | undefined
}

/** The access control of a route, in its `config`. */
export interface RouteAccess {
  /** The required scope. Absent: any valid token. */
  readonly scope?: OperationScope
  /** Whether a token that is bound to accounts may use it, for the account in the path. */
  readonly takesAccountTokens?: boolean
  /** Whether it is for agent sessions of the workspace in the path, and for no other token. */
  readonly isForAgents?: boolean
}

/** What the path of a request names. */
interface PathParameters {
  readonly integrationAccountId?: string
  readonly workspaceId?: string
}

/** @throws ApiError `insufficient_scope`, `integration_account_not_found`, `token_invalid` */
export function requireAccess(
  caller: Caller,
  { scope, takesAccountTokens = false, isForAgents = false }: RouteAccess,
  { integrationAccountId, workspaceId }: PathParameters,
): void {
  if (scope !== undefined) requireScope(caller, scope)
  if (isForAgents) requireAgent(caller, workspaceId)
  else requireAccount(caller, takesAccountTokens, integrationAccountId)
}

/** @throws ApiError `token_invalid`: clients of MCP then ask for another token */
function requireAgent({ kind, boundWorkspaceId }: Caller, workspaceId: string | undefined): void {
  if (kind !== 'agent' || boundWorkspaceId !== workspaceId)
    throw new ApiError(
      'token_invalid',
      'This is not the token of an agent session of this workspace.',
    )
}

/** @throws ApiError `insufficient_scope` */
export function requireScope(caller: Caller, scope: OperationScope): void {
  assertScopeGranted(caller.scopes, scope)
}

/**
 * Requires that a token which is bound to accounts uses one of them, in an operation for such tokens.
 *
 * @throws ApiError `insufficient_scope`, `integration_account_not_found`
 */
export function requireAccount(
  { accountIds }: Caller,
  takesAccountTokens: boolean,
  accountId: string | undefined,
): void {
  if (accountIds == null) return
  if (!takesAccountTokens || accountId === undefined) throw boundToAccounts()
  if (!accountIds.has(accountId)) throw notFound('integration_account')
}

function boundToAccounts(): ApiError {
  return new ApiError(
    'insufficient_scope',
    'This operation requires a token that is not bound to integration accounts.',
  )
}

/**
 * Requires a token that may administer the instance, such as create users. Tokens that are bound to a workspace may not.
 *
 * @throws ApiError `insufficient_scope`
 */
export function requireAdmin(caller: Caller): void {
  if (caller.boundWorkspaceId !== null)
    throw insufficientScope('admin that is bound to no workspace')
  requireScope(caller, 'admin')
}

/** The tenant that a request belongs to: the workspace that the token is bound to, otherwise the user. */
export function getTenant({ boundWorkspaceId, userId }: WorkspaceAccess): string {
  return boundWorkspaceId ?? userId
}

/** The parts of `write`. Each writing operation requires exactly one of them. */
export const WRITE_SCOPES = [
  'links:write',
  'accounts:write',
  'definitions:write',
  'apps:write',
  'workspace:write',
] as const

/**
 * The scopes of a token. `write` is the sum of its parts, and `accounts:write` includes `accounts:reconnect`; no other scope implies
 * another. A new part needs a migration: it would remove `write` from tokens that list the present five.
 */
export const SCOPES = [
  'admin',
  'read',
  'write',
  ...WRITE_SCOPES,
  'accounts:reconnect',
  'credentials:read',
  'audit:read',
  'proxy',
  'tokens',
  'members',
  'webhooks',
  'agents',
  'agents:approve',
] as const
export type Scope = (typeof SCOPES)[number]

/** A scope that an operation can require: never `write`, because each writing operation names its part. */
export type OperationScope = Exclude<Scope, 'write'>

/**
 * The scopes that a stored list grants: `write` grants its parts, all of its parts together grant `write`, and `accounts:write`
 * grants `accounts:reconnect`. The stored list is unchanged.
 */
export function getGrantedScopes(stored: string): ReadonlySet<string> {
  const scopes = new Set(stored.split(' '))
  if (scopes.has('write')) for (const part of WRITE_SCOPES) scopes.add(part)
  else if (WRITE_SCOPES.every((part) => scopes.has(part))) scopes.add('write')
  if (scopes.has('accounts:write')) scopes.add('accounts:reconnect')
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
  if (scope === 'accounts:reconnect') return [scope, 'accounts:write', 'write']
  return WRITE_SCOPES.some((part) => part === scope) ? [scope, 'write'] : [scope]
}

/**
 * Passes the parts of a long response on while the token of the request is valid, which it verifies between them. Otherwise the
 * response breaks off.
 *
 * @throws ApiError as the authentication of a new request
 */
export async function* whileAuthenticated<T>(
  { reauthenticate }: Pick<Caller, 'reauthenticate'>,
  parts: AsyncIterable<T>,
): AsyncGenerator<T> {
  for await (const part of parts) {
    yield part
    await reauthenticate?.()
  }
}
