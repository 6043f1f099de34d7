import type { Transaction } from '../storage/database.ts'
import type { Customer, ErasureCounts } from './erasure.ts'
import type { TextScrubber } from './scrub-text.ts'

/** One transaction of an erasure, at `now` in epoch milliseconds, which continues after `cursor`. */
export type EraseStep = (
  trx: Transaction,
  customer: Customer,
  scrubber: TextScrubber,
  position: {
    readonly cursor: string
    readonly now: number
    readonly baseUrl: () => string
  },
) => Promise<ErasedBatch>

export interface ErasedBatch {
  readonly counts: ErasureCounts
  /** Where the next transaction continues; undefined when nothing is left. */
  readonly next: string | undefined
}
