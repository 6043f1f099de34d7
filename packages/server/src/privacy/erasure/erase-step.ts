import type { Transaction } from '../../platform/storage/database.ts'
import type { Customer, ErasureCounts } from './erasure.ts'

/** One transaction of an erasure, which continues after `cursor`; the first one has an empty cursor. */
export type EraseStep = (
  trx: Transaction,
  customer: Customer,
  cursor: string,
) => Promise<ErasedBatch>

export interface ErasedBatch {
  readonly counts: ErasureCounts
  /** Where the next transaction continues; undefined when nothing is left. */
  readonly next: string | undefined
}
