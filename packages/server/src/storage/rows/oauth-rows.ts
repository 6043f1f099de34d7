import type { Flag } from './flag.ts'

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
  /** JSON array of the origins that the secret was entered for; null: none are known. */
  secret_origins: string | null
  /** JSON array of the hosts that may receive the secret where a configuration chooses the host; null: none. */
  allowed_hosts: string | null
  created_at: number
  updated_at: number
}

/** One way through a provider's consent, from start to callback. */
export interface OAuthAttemptRow {
  attempt_id: string
  /** SHA-256 of the one-time page's token; null once the page was used; of the token that confirms, while it may. */
  page_hash: Uint8Array | null
  /** SHA-256 of `state`; null until the browser has begun. */
  state_hash: Uint8Array | null
  /** SHA-256 of the cookie of the browser that began. */
  browser_hash: Uint8Array | null
  workspace_id: string
  definition_id: string
  oauth_app_id: string
  link_id: string | null
  /** The account to reconnect; null makes a new one, which stands here once it is made. */
  account_id: string | null
  user_id: string
  /** The token that started it; null when a person did, on the connect page. */
  token_id: string | null
  auth_type: string
  /** Of a reconnect, empty keeps the name that the account has. */
  name: string
  /** Of a reconnect, null keeps what the account has. */
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
