import type { EndpointLease } from './lease-store.ts'
import type { OpenDeliveries } from './open-deliveries.ts'
import type { AttemptResult } from './plan-settlement.ts'
import type { SettlementGroup } from './settlement-group.ts'
import type { ReleaseCondition } from './settlement-store.ts'

/** Settles what was sent to one endpoint, one settlement at a time. */
export class EndpointSettler {
  readonly #group: SettlementGroup
  readonly #lease: EndpointLease
  readonly #open: OpenDeliveries
  readonly #onSettled: () => void
  #running: Promise<void> | undefined
  #failure: unknown
  #isOver = false

  /** `onSettled`: called after each settlement, successful or not. */
  constructor(
    group: SettlementGroup,
    lease: EndpointLease,
    { open, onSettled }: { readonly open: OpenDeliveries; readonly onSettled: () => void },
  ) {
    this.#group = group
    this.#lease = lease
    this.#open = open
    this.#onSettled = onSettled
  }

  /** Whether the lease was given back or lost. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Settles the results there are, in the background. `throwFailure` throws what has failed. */
  start(): void {
    if (this.#isOver || this.#open.results.length === 0) return
    void this.#begin('never')
  }

  /** Settles all results, and gives the lease back as `release` says. */
  async finish(release: ReleaseCondition): Promise<void> {
    await this.#running
    if (this.#isOver) return
    await this.#begin(release)
    this.throwFailure()
  }

  throwFailure(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure
  }

  #begin(release: ReleaseCondition): Promise<void> {
    this.#running ??= this.#settle(release)
      .catch((error) => {
        this.#failure = error
      })
      .finally(() => {
        this.#running = undefined
        this.#onSettled()
      })
    return this.#running
  }

  async #settle(release: ReleaseCondition): Promise<void> {
    let results: readonly AttemptResult[] = []
    const take = () => {
      results = this.#open.results.slice(0, MAX_RESULTS)
      const isAll = results.length === this.#open.size
      return { lease: this.#lease, results, release: isAll ? release : 'never' }
    }
    const settled = await this.#group.settle(take, release !== 'never')
    if (settled === undefined || settled.isReleased) this.#isOver = true
    this.#open.settle(results)
  }
}

const MAX_RESULTS = 128
