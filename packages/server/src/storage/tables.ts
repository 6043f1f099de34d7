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
  oauth_apps: OAuthAppRow
  oauth_attempts: OAuthAttemptRow
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
  /** `active`, `pending` (waits for the host's confirmation), `needs_reauth` or `error`. */
  status: string
  /** A stable word that says why, such as `invalid_grant`; null while active. */
  status_reason: string | null
  /** The OAuth app it was connected with; null for other auth types. */
  oauth_app_id: string | null
  /** When the access token ends; null when unknown or none. */
  token_expires_at: number | null
  /** When to renew in the background; null never. */
  renew_at: number | null
  /** Failed tries since the last success. */
  renew_failures: number
  /** Who renews now, and until when nobody else may. */
  lease_owner: string | null
  lease_until: number | null
  /** A refresh token was sent and no answer is stored yet: the reply may be lost. */
  renewal_sent_at: number | null
  /** The provider's id of who connected. */
  identity_id: string | null
  /** SHA-256 of the one-time token that confirms a pending account. */
  confirm_hash: Uint8Array | null
  confirm_until: number | null
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** The client that a workspace registered at a provider, for one definition. */
export interface OAuthAppRow {
  oauth_app_id: string
  workspace_id: string
  definition_id: string
  name: string
  client_id: string
  /** The sealed client secret; null for public clients. */
  sealed_secret: Uint8Array | null
  /** JSON array of scopes beyond the spec's. */
  scopes: string
  created_at: number
  updated_at: number
}

/** One way through a provider's consent, from start to callback. */
export interface OAuthAttemptRow {
  attempt_id: string
  /** SHA-256 of the one-time page's token; null once the page was used. */
  page_hash: Uint8Array | null
  /** SHA-256 of `state`; null until the browser has begun. */
  state_hash: Uint8Array | null
  /** SHA-256 of the cookie of the browser that began. */
  browser_hash: Uint8Array | null
  workspace_id: string
  definition_id: string
  oauth_app_id: string
  link_id: string | null
  /** The account to reconnect; null makes a new one. */
  account_id: string | null
  user_id: string
  token_id: string
  auth_type: string
  name: string
  account_identifier: string | null
  /** Sealed JSON of config and code verifier; null once finished. */
  sealed: Uint8Array | null
  redirect_url: string | null
  needs_confirm: Flag
  allow_other_identity: Flag
  created_at: number
  expires_at: number
  /** A callback took it: no other may. */
  claimed_at: number | null
  finished_at: number | null
  /** `connected`, or an error code. */
  outcome: string | null
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
