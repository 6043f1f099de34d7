/**
 * The tables as they are today, column for column as in the database.
 *
 * Times are epoch milliseconds, booleans 0 or 1, JSON is text, bytes are Uint8Array: alike on SQLite
 * and PostgreSQL. What the columns mean on the wire is the business of the domain folders.
 */
export interface Tables {
  users: UserRow
  workspaces: WorkspaceRow
  tokens: TokenRow
  bundles: BundleRow
  definitions: DefinitionRow
  accounts: AccountRow
  links: LinkRow
  workspace_keys: WorkspaceKeyRow
  key_checks: KeyCheckRow
  audit_events: AuditEventRow
}

/** A boolean in the database. */
export type Flag = 0 | 1

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

/** The bytes of a bundle under their SHA-256 in lower-case hex. */
export interface BundleRow {
  sha256: string
  code: Uint8Array
  /** Bytes of `code`. */
  size: number
  created_at: number
}

/** An integration definition. The key is unique among the live ones of a workspace. */
export interface DefinitionRow {
  definition_id: string
  workspace_id: string
  key: string
  name: string
  icon: string
  version: string
  release_stage: string
  type_key: string
  type_name: string
  source_url: string
  bundle_sha256: string
  /** The judged SPEC, JSON. */
  spec: string
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** A connected account. */
export interface AccountRow {
  account_id: string
  workspace_id: string
  definition_id: string
  link_id: string | null
  name: string
  auth_type: string
  account_identifier: string | null
  /** JSON object of the public fields; null once deleted. */
  public_config: string | null
  /** The sealed whole configuration; null once deleted. */
  sealed_config: Uint8Array | null
  /** Counts changes of the credentials, for fencing. */
  credential_version: number
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** A shareable link through which accounts are added. */
export interface LinkRow {
  link_id: string
  workspace_id: string
  name: string
  can_expire: Flag
  /** Seconds; 0 when it cannot expire. */
  expires_in: number
  expires_at: number | null
  prefer_oauth: Flag
  /** JSON array of categories. */
  category: string
  definition_id: string | null
  created_at: number
  updated_at: number
  revoked_at: number | null
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
