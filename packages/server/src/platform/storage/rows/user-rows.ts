import type { Generated } from 'kysely'
import type { Id } from '../id.ts'

/** A user, who owns workspaces. */
export interface UserRow {
  user_id: Id<'usr'>
  email: string
  /** The e-mail in lower case: unique. */
  email_key: string
  firstname: string
  lastname: string
  created_at: number
  updated_at: number
}

/** A workspace of a user. The slug is unique per user. */
export interface WorkspaceRow {
  workspace_id: Id<'wsp'>
  user_id: Id<'usr'>
  slug: string
  name: string
  /** JSON object. */
  settings: string
  initial_setup_complete: 0 | 1
  anonymous_data_collection: 0 | 1
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** An access token, stored as its SHA-256 only. */
export interface TokenRow {
  token_id: Id<'tok'>
  /** SHA-256 of the token: unique. */
  token_hash: Uint8Array
  user_id: Id<'usr'>
  /** The workspace that the token is bound to; null for all workspaces of the user. */
  workspace_id: Id<'wsp'> | null
  /** The token that created this one; when it is revoked, so is this one. */
  parent_token_id: Id<'tok'> | null
  name: string
  /** Scopes, separated by single spaces. */
  scopes: string
  /** `member` is the parent of what a member of the workspace does in the console, `session` calls the API for a console session. */
  origin: 'owner' | 'environment' | 'minted' | 'user' | 'member' | 'session' | 'agent'
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  /** Whether it is recorded that it expires soon, or need not be. */
  expiry_recorded: 0 | 1
  /** Its own limits of requests, if they are lower than those of the service. */
  reads_per_minute: number | null
  writes_per_minute: number | null
  /** The accounts that the token is bound to, separated by single spaces; null for all. */
  account_ids: string | null
  last_used_at: number | null
}

/** What a node has counted of a key in a minute, to limit the rate of requests on all nodes. */
export interface RateUsageRow {
  usage_key: string
  /** Minutes since 1970. */
  minute: number
  node_id: string
  count: number
}

/** An entry of the audit trail as it is recorded. Has no foreign keys, so that it outlives what it refers to. */
export interface AuditEntryRow {
  event_id: Id<'aud' | 'evt'>
  at: number
  workspace_id: Id<'wsp'> | null
  user_id: string | null
  token_id: string | null
  action: string
  subject: string | null
  /** JSON object. `{}` without salt, but with digest: it was erased. */
  detail: string
  request_id: string | null
  /** Who: `token`, `person`, `system` or `unknown`. Earlier versions recorded neither this nor what follows. */
  actor_kind: string | null
  via: string | null
  ip: string | null
  /** `done` or `refused`. */
  outcome: string | null
}

/** An entry that waits to be chained. */
export interface AuditInboxRow extends AuditEntryRow {
  /** The order of insertion. Rows of concurrent transactions may become visible in another order. */
  position: Generated<number>
}

/** An entry of the audit trail in its chain; nodes of earlier versions chain it after they have inserted it. */
export interface AuditEventRow extends AuditEntryRow {
  subject_type: string | null
  /** Counts the entries of the workspace without gaps, in the order of the chain. */
  sequence: number | null
  /** SHA-256 in base64url, of the previous hash and this entry. */
  hash: string | null
  /** Random bytes in base64url; null once the value was erased. */
  ip_salt: string | null
  /** SHA-256 in base64url, of salt and value: what the chain contains instead of the value. */
  ip_digest: string | null
  detail_salt: string | null
  detail_digest: string | null
}

/** The hash chain of the audit trail of a workspace; an empty id for entries that belong to none. */
export interface AuditChainRow {
  workspace_id: Id<'wsp'> | ''
  last: number
  last_hash: string
  /** The first entry that is retained. */
  oldest: number
  /** The hash of the entry before it. */
  base_hash: string
  /** The last entry that a checkpoint covers. */
  checkpoint_sequence: number
  /** Epoch milliseconds of the last checkpoint, or of the creation of the chain. */
  checkpoint_at: number
}

/** The data key of a workspace, wrapped by a key of the key ring. */
export interface WorkspaceKeyRow {
  workspace_id: Id<'wsp'>
  /** The key of the key ring that wraps it. */
  key_id: string
  wrapped_key: Uint8Array
  /** The number of the data key, which the values it seals name. */
  data_key: Generated<number>
  /** While its values get the new data key: what wraps the previous one, and that data key. */
  previous_key_id: string | null
  previous_wrapped_key: Uint8Array | null
  created_at: number
  updated_at: number
}

/** A known text, sealed with a key of the key ring, to detect a wrong key at start. */
export interface KeyCheckRow {
  key_id: string
  sealed: Uint8Array
  created_at: number
}

/** An idempotency key of a user and of the workspace that the token was bound to. */
export interface IdempotencyKeyRow {
  user_id: Id<'usr'>
  /** Empty for tokens that are bound to no workspace. */
  bound_workspace_id: Id<'wsp'> | ''
  key_hash: Uint8Array
  operation: string
  fingerprint: Uint8Array
  /** The scopes of the token, separated by spaces. */
  scopes: string
  /** `done` once the effect of the request is committed. */
  state: 'running' | 'done'
  claim_owner: string
  claim_until: number
  expires_at: number
  /** The workspace of the effect. */
  workspace_id: Id<'wsp'> | null
  /** The id of the resource that was created or changed. */
  resource: string | null
  status: number | null
  /** The size of `sealed_response`. */
  response_bytes: number
  sealed_response: Uint8Array | null
}

/** The erasure of a customer. Names the customer by a keyed hash, and while it runs also by the sealed identifier. */
export interface ErasureRow {
  erasure_id: Id<'ers'>
  workspace_id: Id<'wsp'>
  /** Keyed hash of the workspace and the accountIdentifier. */
  identifier_hash: Uint8Array
  /** The sealed accountIdentifier; null once the erasure has finished. */
  sealed_identifier: Uint8Array | null
  /** JSON object: what was erased, by kind. */
  counts: string
  /** Until then, the process that runs it must have reported again; null once it has finished. */
  alive_until: number | null
  created_at: number
  finished_at: number | null
}

/** A deleted workspace whose data is erased in two passes. */
export interface WorkspaceDeletionRow {
  workspace_id: Id<'wsp'>
  /** Until then, the process that erases the data must have reported again. */
  alive_until: number
  created_at: number
  /** When the first pass has finished; null until then. `alive_until` is the time of the second one. */
  finished_at: number | null
}
