import type { Id } from '../id.ts'

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
