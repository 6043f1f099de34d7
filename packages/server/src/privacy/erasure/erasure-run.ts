import type { RefreshDeps } from '../../accounts/accounts/token-refresh/refresh-deps.ts'
import type { AuditActor } from '../../platform/record/change.ts'
import type { CustomerAccountStore } from './customer-accounts-store.ts'
import type { Customer, Erasure } from './erasure.ts'
import type { ErasureStore } from './erasure-store.ts'

export interface RunErasureDeps extends RefreshDeps {
  readonly erasures: ErasureStore
  readonly customerAccounts: CustomerAccountStore
  readonly now: () => number
}

/** A claimed erasure, and who requested it. */
export interface ErasureRun {
  readonly erasure: Erasure
  readonly customer: Customer
  readonly actor: AuditActor
  /** Stops between two transactions. */
  readonly signal: AbortSignal
}
