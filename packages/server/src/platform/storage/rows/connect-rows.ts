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
