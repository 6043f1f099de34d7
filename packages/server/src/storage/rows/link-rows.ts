import type { Flag } from './flag.ts'

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
  /** How many live accounts it may have; null: any number. */
  max_accounts: number | null
  /** The same for each `account_identifier`. */
  max_accounts_per_identifier: number | null
  /** JSON array: origins that may embed its page. Empty: those of the workspace. */
  allowed_origins: string
  /** JSON array: exact URLs that people may be sent back to. Empty: those of the workspace. */
  redirect_urls: string
  created_at: number
  updated_at: number
  revoked_at: number | null
}

/** How often something happened at a link: `opened`, `attempted`, `connected`, `refused:<code>`. */
export interface LinkCounterRow {
  link_id: string
  name: string
  count: number
}

/** One try of a person to connect on the connect page. */
export interface VisitAttemptRow {
  /** Made with the form that sends it: 128 random bits in base64url. A form counts once. */
  attempt_id: string
  /** SHA-256 of the secret of the visit that it belongs to. */
  visit_hash: Uint8Array
  link_id: string
  workspace_id: string
  definition_id: string
  auth_type: string
  kind: 'credentials' | 'sign_in'
  /** The way through the provider's consent; null for other kinds. */
  oauth_attempt_id: string | null
  /** Where it was begun: decides where the person ends. */
  window: 'page' | 'popup' | 'frame'
  /** The query of the page to come back to. */
  return_query: string
  state: 'running' | 'connected' | 'failed'
  /** Error code; null unless failed. */
  code: string | null
  /** The field that the failure is about, and what to do, as the integration says them. */
  field: string | null
  hint: string | null
  account_id: string | null
  created_at: number
  finished_at: number | null
  expires_at: number
}
