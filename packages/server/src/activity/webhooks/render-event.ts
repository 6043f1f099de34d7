import type { PublishedEvent } from '../events/event.ts'
import { serializeEvent } from '../events/schemas.ts'
import type { Payload } from './webhook-endpoint.ts'

/** The versions of events that endpoints can receive. Within a version, members are only added. */
export const EVENT_VERSIONS: readonly number[] = [1]

/**
 * The body of an event for an endpoint, as UTF-8 bytes: the event as the API returns it. With `thin`, its `data` has only
 * ids, `previous` and `reason`. The bytes of an event are the same for every attempt.
 */
export function renderEvent(
  event: PublishedEvent,
  { payload }: { readonly payload: Payload; readonly version: number },
): Buffer {
  const response = serializeEvent(event)
  return Buffer.from(
    JSON.stringify(payload === 'thin' ? { ...response, data: thinOut(response.data) } : response),
  )
}

/** `account: { integrationAccountId, name, … }` becomes `account: { integrationAccountId, … }` with all of its ids. */
function thinOut(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(data).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'previous' || name === 'reason' || isIdName(name)) return [[name, value]]
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
    const ids = Object.entries(value).filter(
      ([key, id]) => isIdName(key) && (typeof id === 'string' || id === null),
    )
    return ids.length === 0 ? [] : [[name, Object.fromEntries(ids)]]
  })
  return Object.fromEntries(members)
}

const isIdName = (name: string): boolean => name.endsWith('Id')
