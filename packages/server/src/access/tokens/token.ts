import type { Id } from '../../platform/storage/id.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
/** An access token without its value, of which only the hash is stored. Times are epoch milliseconds. */
export interface AccessToken {
  readonly tokenId: TokenId
  readonly userId: Id<'usr'>
  /** The workspace that the token is bound to; null for all workspaces of the user. */
  readonly workspaceId: WorkspaceId | null
  /** The accounts that the token is bound to; null or absent for all. */
  readonly accountIds?: readonly Id<'acc'>[] | null
  readonly name: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  /** Null if it does not expire. */
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

export type TokenId = Id<'tok'>

/** An access token to be stored. */
export interface NewAccessToken extends AccessToken {
  /** SHA-256 of the token. */
  readonly tokenHash: Uint8Array
  /** The token that created this one; when it is revoked, so is this one. */
  readonly parentTokenId: TokenId | null
  /** Its own limits, if they are lower than those of the service. */
  readonly readsPerMinute?: number | null
  readonly writesPerMinute?: number | null
  readonly origin: 'owner' | 'environment' | 'minted' | 'user'
}
