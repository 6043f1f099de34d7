import type { Id } from '../id.ts'

/** A request to the API or to a provider. No query, header, body or text of either side is in it. */
export interface RequestLogRow {
  request_log_id: Id<'req'>
  /** When it ended. */
  at: number
  workspace_id: Id<'wsp'>
  kind: 'api' | 'provider'
  /** The `operationId`, or what the request to a provider is for; null for an unknown path. */
  operation: string | null
  method: string
  /** Of the provider; null for the API, and once the account is deleted. */
  host: string | null
  /** The route, or the path with what may be secret or personal as `•`; null for a provider's once the account is deleted. */
  path: string | null
  /** Null: there was no response. */
  status: number | null
  /** The first digit of the status; 0 without a response. */
  status_class: number
  /** 1: a status of 400 or more, or no response. */
  failed: number
  code: string | null
  duration_ms: number
  request_id: string | null
  account_id: Id<'acc'> | null
  definition_id: Id<'def'> | null
  token_id: Id<'tok'> | null
  user_id: Id<'usr'> | null
  via: 'console' | null
  /** How many requests this row stands for: 1, or more when there were too many for a row each. */
  represents: number
}

/** The last debug window of an account. */
export interface DebugWindowRow {
  account_id: Id<'acc'>
  workspace_id: Id<'wsp'>
  opened_at: number
  ends_at: number
  /** How many exchanges it has. */
  exchanges: number
}

/** Headers and bodies of a request to a provider, and of its response, without secrets, as sealed JSON. */
export interface DebugExchangeRow {
  request_log_id: Id<'req'>
  at: number
  workspace_id: Id<'wsp'>
  account_id: Id<'acc'>
  sealed: Uint8Array
}
