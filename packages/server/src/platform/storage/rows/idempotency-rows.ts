import type { Id } from '../id.ts'

/** An idempotency key of a user and of the workspace that the token was bound to. */
export interface IdempotencyKeyRow {
  user_id: Id<'usr'>
  /** Empty for tokens that are bound to no workspace. */
  bound_workspace_id: Id<'wsp'> | ''
  key_hash: Uint8Array
  operation: string
  fingerprint: Uint8Array
  /** The scopes of the token, separated by spaces. */
  scopes: string
  /** `done` once the effect of the request is committed. */
  state: 'running' | 'done'
  claim_owner: string
  claim_until: number
  expires_at: number
  /** The workspace of the effect. */
  workspace_id: Id<'wsp'> | null
  /** The id of the resource that was created or changed. */
  resource: string | null
  status: number | null
  /** The size of `sealed_response`. */
  response_bytes: number
  sealed_response: Uint8Array | null
}
