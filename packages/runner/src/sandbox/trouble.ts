import { wasStopped } from './guard.ts'
import type { FailureReason } from './messages.ts'
import type { Meter } from './meter.ts'
import { outOfMemory } from './read-guest.ts'
import { OutOfMemory } from './wasm.ts'

/** Why the guest cannot go on. `thrown`: it threw `message`; whether that is its fault depends on the moment. */
export interface Trouble {
  readonly reason: FailureReason | 'thrown'
  readonly message: string
}

/** Carries trouble out of a step of the guest. WASM was left in good order. */
export class GuestTrouble extends Error {
  readonly trouble: Trouble

  constructor(message: string) {
    super(message)
    this.trouble = { reason: outOfMemory(message) ? 'memory' : 'thrown', message }
  }
}

/** What a meter that ran out means. */
export function expiryOf(meter: Meter): Trouble {
  return { reason: meter.expired ?? meter.limit, message: '' }
}

/** What an exception that went through WASM means. */
export function crashOf(error: unknown, meter: Meter): Trouble {
  if (wasStopped(error) || meter.expired !== undefined) return expiryOf(meter)
  if (error instanceof RangeError) return { reason: 'depth', message: '' }
  if (error instanceof OutOfMemory || error instanceof WebAssembly.RuntimeError) {
    return { reason: 'memory', message: '' }
  }
  return { reason: 'thrown', message: 'the engine failed' }
}
