import type { EventKind } from './doors.ts'

/** An event for the guest; see `doors.ts`. */
export interface GuestEvent {
  readonly kind: EventKind
  readonly id: number
  readonly json?: string
  readonly bytes?: ArrayBuffer
}
