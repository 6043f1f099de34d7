import { ForcedStopError } from './forced-stop.ts'
import type { FailureReason } from './messages.ts'
import type { Meter } from './meter.ts'
import { isOutOfMemoryMessage } from './read-guest-text.ts'
import { OutOfMemoryError } from './wasm.ts'

/** Why the guest cannot continue. `bundle-error`: it threw `message`; the step it threw in decides who caused it. */
export interface GuestFailure {
  readonly reason: FailureReason | 'bundle-error'
  readonly message: string
}

/** Carries a failure out of a step of the guest. The WASM instance is still usable. */
export class GuestFailureError extends Error {
  readonly failure: GuestFailure

  constructor(message: string) {
    super(message)
    this.failure = { reason: isOutOfMemoryMessage(message) ? 'memory' : 'bundle-error', message }
  }
}

/** Maps an expired meter to a failure. */
export function createExpiryFailure(meter: Meter): GuestFailure {
  return { reason: meter.stopReason ?? meter.limit, message: '' }
}

/** Maps an exception that passed through WASM to a failure. */
export function createCrashFailure(error: unknown, meter: Meter): GuestFailure {
  if (error instanceof ForcedStopError || meter.stopReason !== undefined)
    return createExpiryFailure(meter)
  if (error instanceof RangeError) return { reason: 'depth', message: '' }
  if (error instanceof OutOfMemoryError || error instanceof WebAssembly.RuntimeError) {
    return { reason: 'memory', message: '' }
  }
  return { reason: 'bundle-error', message: 'the engine failed' }
}
