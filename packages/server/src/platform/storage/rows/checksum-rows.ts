import type { Id } from '../id.ts'

/** The CRC-32 of a user; as in all of these, -2 if an earlier version or another program wrote the row. */
export interface UserChecksumRow {
  user_id: Id<'usr'>
  row_checksum: number
}

/** The CRC-32 of a workspace, not of its last change or its deletion. */
export interface WorkspaceChecksumRow {
  workspace_id: Id<'wsp'>
  row_checksum: number
}

/** The CRC-32 of what never changes in a token. */
export interface TokenChecksumRow {
  token_id: Id<'tok'>
  row_checksum: number
}

/** The CRC-32 of what describes a link, not of its state. */
export interface LinkChecksumRow {
  link_id: Id<'lnk'>
  row_checksum: number
}

/** The CRC-32 of the settings of a webhook endpoint, not of its state. */
export interface WebhookEndpointChecksumRow {
  endpoint_id: Id<'whe'>
  row_checksum: number
}

/** The CRC-32 of what describes an OAuth app. */
export interface OAuthAppChecksumRow {
  oauth_app_id: Id<'oap'>
  row_checksum: number
}

/** The CRC-32 of what a connect session may do and has connected. */
export interface ConnectSessionChecksumRow {
  connect_session_id: Id<'cns'>
  row_checksum: number
}
