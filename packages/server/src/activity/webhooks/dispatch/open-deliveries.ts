import type { DeliveryKey } from './claim-store.ts'
import type { AttemptResult } from './plan-settlement.ts'

/** The deliveries of an endpoint that this process has claimed: in flight, or not settled yet. */
export class OpenDeliveries {
  readonly #keys = new Map<string, DeliveryKey>()
  #results: AttemptResult[] = []
  #inFlight = 0

  /** Number of requests now. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Of the attempts that are not settled, the oldest first. */
  get results(): readonly AttemptResult[] {
    return this.#results
  }

  get keys(): readonly DeliveryKey[] {
    return [...this.#keys.values()]
  }

  get size(): number {
    return this.#keys.size
  }

  start({ sequence, round }: DeliveryKey): void {
    this.#keys.set(toText({ sequence, round }), { sequence, round })
    this.#inFlight += 1
  }

  /** Without a result, nothing is known about the delivery, and it may be claimed again. */
  finish(key: DeliveryKey, result: AttemptResult | undefined): void {
    this.#inFlight -= 1
    if (result === undefined) this.#keys.delete(toText(key))
    else this.#results.push(result)
  }

  /** These results, the oldest, are settled. */
  settle(results: readonly AttemptResult[]): void {
    this.#results = this.#results.slice(results.length)
    for (const { delivery } of results) this.#keys.delete(toText(delivery))
  }
}

function toText({ sequence, round }: DeliveryKey): string {
  return `${sequence}.${round}`
}
