import type { Flag } from './flag.ts'

/** A person who owns workspaces. */
export interface UserRow {
  user_id: string
  email: string
  /** The e-mail in lower case: unique. */
  email_key: string
  firstname: string
  lastname: string
  created_at: number
  updated_at: number
}

/** A workspace of a user. The slug is unique per user. */
export interface WorkspaceRow {
  workspace_id: string
  user_id: string
  slug: string
  name: string
  /** JSON object. */
  settings: string
  initial_setup_complete: Flag
  anonymous_data_collection: Flag
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** An access token, known by its SHA-256 only. */
export interface TokenRow {
  token_id: string
  /** SHA-256 of the token: unique. */
  token_hash: Uint8Array
  user_id: string
  /** The workspace that the token is bound to; null reaches all of the user's. */
  workspace_id: string | null
  /** The token that minted this one, and with which it ends. */
  parent_token_id: string | null
  name: string
  /** Scopes, separated by single spaces. */
  scopes: string
  origin: 'owner' | 'environment' | 'minted' | 'user'
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
}

/** One line of the audit trail. Refers to nothing, so that it outlives everything. */
export interface AuditEventRow {
  event_id: string
  at: number
  workspace_id: string | null
  user_id: string | null
  token_id: string | null
  action: string
  subject: string | null
  /** JSON object. */
  detail: string
  request_id: string | null
}

/** The data key of a workspace, wrapped by a key of the key ring. */
export interface WorkspaceKeyRow {
  workspace_id: string
  /** The key of the key ring that wraps it. */
  key_id: string
  wrapped_key: Uint8Array
  created_at: number
  updated_at: number
}

/** A known text sealed by a key of the key ring: tells a wrong key at start. */
export interface KeyCheckRow {
  key_id: string
  sealed: Uint8Array
  created_at: number
}
