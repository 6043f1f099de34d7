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
