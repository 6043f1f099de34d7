import { SEND_TIMEOUT_MS } from '../send-webhook.ts'
import type { EndpointLease, LeaseStore } from './lease-store.ts'

/** A lease that this process holds, measured on its monotonic clock. */
export class HeldLease {
  readonly lease: EndpointLease
  readonly #leases: Pick<LeaseStore, 'extend'>
  readonly #leaseMs: number
  #extendedAt: number

  /** `acquiredAt`: before the lease was acquired, on the monotonic clock. */
  constructor(
    leases: Pick<LeaseStore, 'extend'>,
    lease: EndpointLease,
    { leaseMs, acquiredAt }: { readonly leaseMs: number; readonly acquiredAt: number },
  ) {
    this.#leases = leases
    this.lease = lease
    this.#leaseMs = leaseMs
    this.#extendedAt = acquiredAt
  }

  /** Extends it after a third of its duration. Returns false if it was lost. */
  async extendIfDue(): Promise<boolean> {
    const startedAt = performance.now()
    if (startedAt - this.#extendedAt < this.#leaseMs / 3) return true
    const isExtended = await this.#leases.extend(this.lease, this.#leaseMs)
    if (isExtended) this.#extendedAt = startedAt
    return isExtended
  }

  /** Whether a request that is sent now ends before the lease does. Leases of tests are shorter than requests may be. */
  maySend(): boolean {
    const requestMs = Math.min(SEND_TIMEOUT_MS, this.#leaseMs / 2)
    return performance.now() - this.#extendedAt < this.#leaseMs - requestMs
  }
}
