import type { Cause } from '../../platform/record/change.ts'
import { EVENT_TYPES, type EventType } from '../../platform/record/event-types.ts'
import type { Id } from '../../platform/storage/id.ts'

export type EventId = Id<'evt'>

/** A change that was published. */
export interface PublishedEvent {
  readonly eventId: EventId
  readonly type: EventType
  readonly version: number
  readonly workspaceId: Id<'wsp'>
  /** Counts the events of the workspace: 1, 2, 3 and so on, without gaps. */
  readonly sequence: number
  /** Epoch milliseconds. */
  readonly at: number
  /** The id of the resource that changed. */
  readonly subject: string
  readonly accountIdentifier: string | null
  readonly cause: Cause
  readonly data: Readonly<Record<string, unknown>>
}

/** Whether this is a type of event, or a prefix such as `account.*` that some type has. */
export function isEventTypePattern(text: string): boolean {
  return EVENT_TYPES.some((type) => type === text || `${type.split('.')[0]}.*` === text)
}
