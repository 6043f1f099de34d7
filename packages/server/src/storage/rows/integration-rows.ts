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
  /** The newest version that the catalogue or a registry tells of; null for custom definitions. */
  latest_version: string | null
  latest_source_url: string | null
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
  /** How long the provider gave the newest access token whose end it told, in milliseconds; null when it never did. */
  token_life_ms: number | null
  /** Sealed headers that the bundle made with a token of its own, for all nodes; null when there are none. */
  sealed_headers: Uint8Array | null
  /** When to renew in the background; null never. */
  renew_at: number | null
  /** Failed tries since the last success. */
  renew_failures: number
  /** Who renews now, and until when nobody else may. */
  lease_owner: string | null
  lease_until: number | null
  /** A refresh token was sent and no answer is stored yet: the reply may be lost. */
  renewal_sent_at: number | null
  /** A deletion revokes its tokens until then: for other deletions it is no live account any more. */
  revoking_until: number | null
  /** The provider's id of who connected. */
  identity_id: string | null
  /** SHA-256 of the one-time token that confirms a pending account. */
  confirm_hash: Uint8Array | null
  confirm_until: number | null
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** Tokens that an integration got in place of a given refresh token, until an account keeps them. */
export interface RotationRow {
  /** SHA-256 of the given token and of what it was given for, in hex. */
  rotation_id: string
  workspace_id: string
  /** The sealed tokens, JSON. */
  sealed: Uint8Array
  expires_at: number
}

/** Which check may use a refresh token that no account has yet. */
export interface TokenLeaseRow {
  /** As of the rotation. */
  rotation_id: string
  workspace_id: string
  lease_owner: string
  lease_until: number
}
