import type { GuestEventKind } from './host-bindings.ts'

/** An event for the guest; see `host-bindings.ts`. */
export interface GuestEvent {
  readonly kind: GuestEventKind
  readonly id: number
  readonly json?: string
  readonly bytes?: ArrayBuffer
}
