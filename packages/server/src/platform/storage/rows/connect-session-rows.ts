import type { Id } from '../id.ts'

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
