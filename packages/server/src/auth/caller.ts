import { insufficientScope } from '../errors.ts'
import { assertScopeGranted, type OperationScope } from './scopes.ts'

/** What rows a caller reaches. Every repository method takes it and puts it in the WHERE. */
export interface AccessScope {
  readonly userId: string
  /** The workspace that the token is bound to; null reaches all of the user's. */
  readonly boundWorkspaceId: string | null
}

/** Who calls, by a live token. */
export interface Caller extends AccessScope {
  readonly tokenId: string
  /** All that the token grants: `write` and its parts stand for one another here. */
  readonly scopes: ReadonlySet<string>
  /** Epoch milliseconds; null never. */
  readonly expiresAt: number | null
  readonly requestId: string
}

/** @throws ApiError `insufficient_scope` */
export function requireScope(caller: Caller, scope: OperationScope): void {
  assertScopeGranted(caller.scopes, scope)
}

/**
 * Administration of the instance, such as making users. A token that is bound to one workspace must not get beyond it.
 *
 * @throws ApiError `insufficient_scope`
 */
export function requireAdmin(caller: Caller): void {
  if (caller.boundWorkspaceId !== null) throw insufficientScope('admin and no workspace')
  requireScope(caller, 'admin')
}
