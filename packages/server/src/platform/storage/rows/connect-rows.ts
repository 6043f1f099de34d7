import type { Id } from '../id.ts'

/** The id that an imported link had elsewhere. */
export interface LinkAliasRow {
  alias: string
  workspace_id: Id<'wsp'>
  link_id: Id<'lnk'>
  created_at: number
}

/** The number of events of a link: `opened`, `attempted`, `connected`, `refused:<code>`. */
export interface LinkCounterRow {
  link_id: Id<'lnk'>
  name: string
  count: number
}

/** When a failed attempt to connect was last published, to limit how often that happens. */
export interface ConnectFailureRow {
  /** The link, or the workspace, and one of 16 slots for its visitors. */
  failure_key: string
  at: number
}

/** One submission of the connect page. */
export interface SubmissionRow {
  /** Generated with the form: 128 random bits in base64url. A form can be submitted once. */
  attempt_id: string
  /** SHA-256 of the secret of its page session. */
  visit_hash: Uint8Array
  /** Null in a connect session without a link. */
  link_id: Id<'lnk'> | null
  workspace_id: Id<'wsp'>
  definition_id: Id<'def'>
  auth_type: string
  kind: 'credentials' | 'sign_in'
  /** The OAuth session; null for other kinds. */
  oauth_attempt_id: Id<'att'> | null
  /** The page where it started, which decides where the browser returns. */
  window: 'page' | 'popup' | 'frame'
  /** The query of the page to return to. */
  return_query: string
  state: 'running' | 'connected' | 'failed'
  /** Error code; null unless failed. */
  code: string | null
  /** The field and the message of the error, from the integration. */
  field: string | null
  hint: string | null
  account_id: Id<'acc'> | null
  /** The connect session that it belongs to; null without one. */
  connect_session_id: Id<'cns'> | null
  created_at: number
  finished_at: number | null
  expires_at: number
}

/** A session in which one customer connects accounts. */
export interface ConnectSessionRow {
  connect_session_id: Id<'cns'>
  /** SHA-256 of the token of its URL. */
  token_hash: Uint8Array
  workspace_id: Id<'wsp'>
  /** Null: only the settings of the workspace apply. */
  link_id: Id<'lnk'> | null
  mode: 'connect' | 'manage'
  account_identifier: string | null
  /** The account to reconnect; null to add accounts. */
  account_id: Id<'acc'> | null
  /** JSON array: the only definitions that it offers. Empty: those of the link or, without one, all. */
  definition_ids: string
  /** JSON array of categories, likewise. */
  category: string
  /** JSON array of the given fields: `{ name, hidden }`. */
  config_fields: string
  /** The values of these fields, encrypted; null without any. */
  sealed_config: Uint8Array | null
  /** JSON object: the tags of its accounts. */
  tags: string
  redirect_url: string | null
  lang: string | null
  max_accounts: number
  /** SHA-256 of the secret of the browser that it is bound to. */
  browser_hash: Uint8Array | null
  /** Whether it can still be used, unless it has expired; 0 once its end is recorded. */
  is_open: 0 | 1
  /** JSON array: the accounts that were connected in it. */
  account_ids: string
  /** Why the last attempt failed, and when. */
  last_code: string | null
  last_code_at: number | null
  created_at: number
  updated_at: number
  expires_at: number
  opened_at: number | null
  completed_at: number | null
  revoked_at: number | null
}

/** An attempt to connect an account, and how it ended. Nothing in it is secret. */
export interface ConnectAttemptRow {
  attempt_id: Id<'cna'>
  at: number
  workspace_id: Id<'wsp'>
  /** Null if it named no definition that the caller can use. */
  definition_id: Id<'def'> | null
  auth_type: string | null
  via: 'api' | 'link' | 'connect_session' | 'oauth'
  outcome: 'connected' | 'accepted' | 'failed' | 'cancelled' | 'abandoned'
  /** Null unless it failed. */
  code: string | null
  /** The HTTP status of the provider's last response; null if there was none. */
  provider_status: number | null
  /** The provider's id of that request, never a value of the configuration. */
  provider_request_id: string | null
  request_id: string | null
  account_id: Id<'acc'> | null
  link_id: Id<'lnk'> | null
  connect_session_id: Id<'cns'> | null
  account_identifier: string | null
}

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
