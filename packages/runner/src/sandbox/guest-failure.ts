import { isTimeoutError } from './call-with-timeout.ts'
import type { FailureReason } from './messages.ts'
import type { Meter } from './meter.ts'
import { isOutOfMemoryMessage } from './read-guest-text.ts'
import { OutOfMemoryError } from './wasm.ts'

/** Why the guest cannot go on. `thrown`: it threw `message`; whether that is its fault depends on the moment. */
export interface GuestFailure {
  readonly reason: FailureReason | 'thrown'
  readonly message: string
}

/** Carries trouble out of a step of the guest. WASM was left in good order. */
export class GuestFailureError extends Error {
  readonly failure: GuestFailure

  constructor(message: string) {
    super(message)
    this.failure = { reason: isOutOfMemoryMessage(message) ? 'memory' : 'thrown', message }
  }
}

/** What a meter that ran out means. */
export function expiryFailure(meter: Meter): GuestFailure {
  return { reason: meter.stopReason ?? meter.limit, message: '' }
}

/** What an exception that went through WASM means. */
export function crashFailure(error: unknown, meter: Meter): GuestFailure {
  if (isTimeoutError(error) || meter.stopReason !== undefined) return expiryFailure(meter)
  if (error instanceof RangeError) return { reason: 'depth', message: '' }
  if (error instanceof OutOfMemoryError || error instanceof WebAssembly.RuntimeError) {
    return { reason: 'memory', message: '' }
  }
  return { reason: 'thrown', message: 'the engine failed' }
}
