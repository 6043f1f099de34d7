import type { Caller } from '../../access/auth/caller.ts'
import { notFound } from '../../platform/errors.ts'
import { isId } from '../../platform/storage/id.ts'
import type { EventStore } from './event-store.ts'
import { type EventResponse, serializeEvent } from './schemas.ts'

/** An event that is still retained. @throws ApiError `event_not_found` */
export async function getEvent(
  { events }: { readonly events: EventStore },
  caller: Caller,
  eventId: string,
): Promise<EventResponse> {
  const event = isId('evt', eventId) ? await events.find(caller, eventId) : undefined
  if (event === undefined) throw notFound('event')
  return serializeEvent(event)
}
