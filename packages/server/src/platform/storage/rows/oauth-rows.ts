import type { Id } from '../id.ts'

/** An OAuth client that a workspace registered with a provider, for one definition. */
export interface OAuthAppRow {
  oauth_app_id: Id<'oap'>
  workspace_id: Id<'wsp'>
  definition_id: Id<'def'>
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
  /** Since when the provider refuses the client; null while it does not. */
  failing_since: number | null
  created_at: number
  updated_at: number
}

/** One OAuth session, from start to callback. */
export interface OAuthSessionRow {
  attempt_id: Id<'att'>
  /** SHA-256 of the token of the one-time start page, later of the confirmation token; null otherwise. */
  page_hash: Uint8Array | null
  /** SHA-256 of `state`; null until the browser has opened the start page. */
  state_hash: Uint8Array | null
  /** SHA-256 of the cookie of the browser that started. */
  browser_hash: Uint8Array | null
  workspace_id: Id<'wsp'>
  definition_id: Id<'def'>
  oauth_app_id: Id<'oap'>
  link_id: Id<'lnk'> | null
  /** The account to reconnect; null for a new one, until it is created. */
  account_id: Id<'acc'> | null
  user_id: Id<'usr'>
  /** The access token that started it; null if it started on the connect page. */
  token_id: Id<'tok'> | null
  auth_type: string
  /** On a reconnect, an empty name leaves that of the account unchanged. */
  name: string
  /** On a reconnect, null leaves that of the account unchanged. */
  account_identifier: string | null
  /** Sealed JSON of config and code verifier; null once finished. */
  sealed: Uint8Array | null
  redirect_url: string | null
  needs_confirm: 0 | 1
  allow_other_identity: 0 | 1
  created_at: number
  expires_at: number
  /** When a callback claimed it; no other callback can. */
  claimed_at: number | null
  finished_at: number | null
  /** `connected`, or an error code. */
  outcome: string | null
}
