import type { Generated } from 'kysely'
import type { Id } from '../id.ts'

export interface EventRow {
  /** The order of insertion. Rows of concurrent transactions may become visible in another order. */
  position: Generated<number>
  workspace_id: Id<'wsp'>
  event_id: Id<'evt'>
  type: string
  version: number
  at: number
  /** The id of the resource that changed. */
  subject: string
  account_identifier: string | null
  /** JSON object. */
  cause: string
  /** JSON object. */
  data: string
  /** Counts the events of the workspace without gaps; null until the event is numbered, after its commit. */
  sequence: number | null
}

/** The numbers of a workspace's events. */
export interface EventSequenceRow {
  workspace_id: Id<'wsp'>
  last: number
  /** The first event that is retained. */
  oldest: number
}

/** An entry of an account's history. */
export interface AccountChangeRow {
  workspace_id: Id<'wsp'>
  account_id: Id<'acc'>
  change_id: Id<'chg'>
  at: number
  action: string
  /** The account's status after the change. */
  status: string
  reason: string | null
  /** JSON object. */
  cause: string
}
