import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten-core'
import { ForcedStopError } from './forced-stop.ts'
import {
  createCrashFailure,
  createExpiryFailure,
  type GuestFailure,
  GuestFailureError,
} from './guest-failure.ts'
import type { Meter } from './meter.ts'
import { formatThrownValue } from './read-guest-text.ts'

/** Runs steps of a guest under the limits of a meter, each with the promise jobs that it queues. */
export class MeteredExecutor {
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  #meter: Meter | undefined
  #broken = false
  /** A monotonic time in milliseconds. */
  #forcedStopAt = Number.POSITIVE_INFINITY

  constructor(runtime: QuickJSRuntime, context: QuickJSContext) {
    this.#runtime = runtime
    this.#context = context
    runtime.setInterruptHandler(() => this.#meter?.isExpired() ?? false)
  }

  /** True once an exception passed through WASM: its stack is inconsistent. */
  get isBroken(): boolean {
    return this.#broken
  }

  /**
   * More fuel for the engine.
   *
   * QuickJS calls its interrupt handler between operations of the guest, but a few of its own loops never do
   * (`Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)`).
   *
   * @throws ForcedStopError when the guest computes for too long; after that the WASM instance must not be used again
   */
  refuel(): number {
    const now = performance.now()
    if (now < this.#forcedStopAt) return FUEL
    this.#forcedStopAt = this.#meter?.forcedStopAt() ?? now
    if (now < this.#forcedStopAt) return FUEL
    // Finds the reason.
    this.#meter?.isExpired()
    // A host call that catches the error must not hide it.
    this.#broken = true
    throw new ForcedStopError()
  }

  /** @returns the failure, if there is one */
  run(meter: Meter, step: () => void): GuestFailure | undefined {
    this.#meter = meter
    meter.start()
    this.#forcedStopAt = meter.forcedStopAt()
    try {
      return this.#runStep(meter, step)
    } catch (error) {
      this.#broken = true
      return createCrashFailure(error, meter)
    } finally {
      meter.stop()
      this.#meter = undefined
      this.#forcedStopAt = Number.POSITIVE_INFINITY
    }
  }

  /** The value of a result. @throws GuestFailureError when the guest threw */
  unwrap(result: GuestResult): QuickJSHandle {
    if (result.error === undefined) return result.value
    throw new GuestFailureError(formatThrownValue(this.#context, result.error))
  }

  // One step, followed by all promise jobs that it queued.
  #runStep(meter: Meter, step: () => void): GuestFailure | undefined {
    try {
      step()
      for (;;) {
        const jobs = this.#runtime.executePendingJobs(200)
        if (jobs.error !== undefined) this.#unwrapJob(jobs.error)
        if (meter.isExpired()) return createExpiryFailure(meter)
        if (jobs.error === undefined && jobs.value === 0) return undefined
      }
    } catch (error) {
      if (!(error instanceof GuestFailureError)) throw error
      return meter.isExpired() ? createExpiryFailure(meter) : error.failure
    }
  }

  // Errors of promise jobs are ignored, like unhandled rejections with a listener in Node, except for out of memory.
  #unwrapJob(error: QuickJSHandle): void {
    const failure = new GuestFailureError(formatThrownValue(this.#context, error))
    if (failure.failure.reason === 'memory') throw failure
  }
}

/** Rounds of loops until the time is checked again: about a tenth of a millisecond. */
export const FUEL = 50_000

type GuestResult =
  | { error?: undefined; value: QuickJSHandle }
  | { error: QuickJSHandle; value?: undefined }
