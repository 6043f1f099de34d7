import type { Id } from '../id.ts'
/** A bundle, identified by its SHA-256 in lower-case hex. */
export interface BundleRow {
  sha256: string
  code: Uint8Array
  /** Bytes of `code`. */
  size: number
  created_at: number
}

/** An integration definition. The key is unique among the live ones of a workspace. */
export interface DefinitionRow {
  definition_id: Id<'def'>
  workspace_id: Id<'wsp'>
  key: string
  name: string
  icon: string
  version: string
  release_stage: string
  type_key: string
  type_name: string
  source_url: string
  bundle_sha256: string
  /** The validated SPEC, JSON. */
  spec: string
  /** The newest version in the catalogue or a registry; null for custom definitions. */
  latest_version: string | null
  latest_source_url: string | null
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/**
 * A connected account. Its state of token refresh is in {@link AccountTokenRow}: the columns of accounts with it are for the
 * previous version only.
 */
export interface AccountRow {
  account_id: Id<'acc'>
  workspace_id: Id<'wsp'>
  definition_id: Id<'def'>
  link_id: Id<'lnk'> | null
  name: string
  auth_type: string
  account_identifier: string | null
  /** JSON object of the public fields; null once deleted. */
  public_config: string | null
  /** The sealed configuration, all fields; null once deleted. */
  sealed_config: Uint8Array | null
  /** Counts changes of the credentials, for fencing. */
  credential_version: number
  /** `active`, `pending` (waits for the host's confirmation), `needs_reauth` or `error`. */
  status: string
  /** The reason of the status, such as `invalid_grant`; null while active. */
  status_reason: string | null
  /** The OAuth app that the account was connected with; null for other auth types. */
  oauth_app_id: Id<'oap'> | null
  /** A deletion is revoking its tokens until then; other deletions treat the account as deleted. */
  revoking_until: number | null
  /** The provider's id of the user who connected. */
  identity_id: string | null
  /** JSON object: values by key, ordered by key. */
  tags: string
  /** The provider's name of that user; null if unknown, and once deleted. */
  identity_label: string | null
  /** SHA-256 of the one-time token that confirms a pending account. */
  confirm_hash: Uint8Array | null
  confirm_until: number | null
  created_at: number
  updated_at: number
  deleted_at: number | null
  /** The response of the account, and the version of its format. Null if an older version wrote the account. */
  response_schema: number | null
  response_json: string | null
  /** When the credentials were last used, in steps of 15 minutes; null if never. */
  last_used_at: number | null
}

/** A tag of a live account, by which it is found. Triggers derive the rows from the account. */
export interface AccountTagRow {
  workspace_id: Id<'wsp'>
  key: string
  value: string
  account_id: Id<'acc'>
  /** As in the account. */
  created_at: number
  updated_at: number
}

/** The state of token refresh of an account, if it has any. */
export interface AccountTokenRow {
  workspace_id: Id<'wsp'>
  account_id: Id<'acc'>
  /** When the access token expires; null if unknown or absent. */
  token_expires_at: number | null
  /** Lifetime of the last access token with a known expiry, in milliseconds; null if there was none. */
  token_ttl_ms: number | null
  /** Sealed cache of headers with a token that the bundle obtained itself, for all nodes; null if absent. */
  sealed_headers: Uint8Array | null
  /** When to refresh in the background; null for never. */
  refresh_at: number | null
  /** Failed attempts since the last success. */
  refresh_failures: number
  /** The holder of the refresh lease, and when it expires. */
  lease_owner: string | null
  lease_until: number | null
  /** A refresh token was sent and no response is stored yet: the response may be lost. */
  refresh_sent_at: number | null
  /** Host and port of the token endpoint at the last refresh; null until the first. */
  token_host: string | null
}

/** Tokens that replaced a refresh token during a check, until an account stores them. */
export interface RotationRow {
  /** SHA-256 of the replaced token and its purpose, in hex. */
  rotation_id: string
  workspace_id: Id<'wsp'>
  /** The sealed tokens, JSON. */
  sealed: Uint8Array
  expires_at: number
}

/** The lease of the check that uses a refresh token of no stored account. */
export interface TokenLeaseRow {
  /** As of the rotation. */
  rotation_id: string
  workspace_id: Id<'wsp'>
  lease_owner: string
  lease_until: number
}
