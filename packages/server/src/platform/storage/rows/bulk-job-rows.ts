import type { Id } from '../id.ts'

/** A job over several accounts, with those who requested it. */
export interface BulkJobRow {
  bulk_job_id: Id<'blk'>
  workspace_id: Id<'wsp'>
  action: 'check' | 'delete' | 'connect_session'
  /** Until when the process that runs it must report again; null once it has finished. */
  alive_until: number | null
  /** The owner of the workspace, whose token it is. */
  user_id: Id<'usr'>
  /** The member who acted in the console. */
  person_id: Id<'usr'> | null
  token_id: Id<'tok'>
  via: 'console' | null
  request_id: string
  created_at: number
  finished_at: number | null
}

/** An account of a job. */
export interface BulkJobItemRow {
  bulk_job_id: Id<'blk'>
  /** In the request, from 0. */
  position: number
  workspace_id: Id<'wsp'>
  account_id: Id<'acc'>
  definition_id: Id<'def'>
  outcome: 'waiting' | 'running' | 'done' | 'failed' | 'skipped'
  code: string | null
  /** The URL of its reconnect page, until `url_until`. */
  sealed_url: Uint8Array | null
  url_until: number | null
}
