import Type from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { notFound } from '../../platform/errors.ts'
import { isId } from '../../platform/storage/id.ts'
import type { EventStore } from './event-store.ts'
import { EventResponse, serializeEvent } from './schemas.ts'

interface GetEventDeps {
  readonly events: EventStore
}

export const getEventOperation = defineOperation({
  id: 'getEvent',
  sdk: 'events.get',
  method: 'GET',
  path: '/v1/event/:eventId',
  tag: 'Events',
  summary: 'Get an event',
  description: 'Events are retained for a limited time.',
  scope: 'read',
  params: Type.Object({ eventId: Type.String({ description: 'Identifier of the event.' }) }),
  response: EventResponse,
  returns: 'The event.',
  errors: ['event_not_found'],
  handle: (deps: GetEventDeps, caller, { params }) => getEvent(deps, caller, params.eventId),
})

/** An event that is still retained. @throws ApiError `event_not_found` */
export async function getEvent(
  { events }: GetEventDeps,
  caller: Caller,
  eventId: string,
): Promise<EventResponse> {
  const event = isId('evt', eventId) ? await events.find(caller, eventId) : undefined
  if (event === undefined) throw notFound('event')
  return serializeEvent(event)
}
