import { ApiError, insufficientScope, notFound } from '../../platform/errors.ts'
import type { IdempotencyClaim } from '../../platform/record/change.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { TokenRates } from './request-rates.ts'
import { assertScopeGranted, type OperationScope } from './scopes.ts'

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
  /** All scopes that the token grants: `write` is expanded to its parts, and all parts together to `write`. */
  readonly scopes: ReadonlySet<string>
  /** Epoch milliseconds; null if the token does not expire. */
  readonly expiresAt: number | null
  /** The accounts that the token is bound to; null or absent for all. */
  readonly accountIds?: ReadonlySet<string> | null
  readonly requestId: string
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
}

/** What the path of a request names. */
interface PathParameters {
  readonly integrationAccountId?: string
}

/** @throws ApiError `insufficient_scope`, `integration_account_not_found` */
export function requireAccess(
  caller: Caller,
  { scope, takesAccountTokens = false }: RouteAccess,
  { integrationAccountId }: PathParameters,
): void {
  if (scope !== undefined) requireScope(caller, scope)
  requireAccount(caller, takesAccountTokens, integrationAccountId)
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
