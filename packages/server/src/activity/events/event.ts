import Type, { type Static } from 'typebox'
import {
  KnownText,
  Nullable,
  OpenObject,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { type Cause, ChangeCause } from '../../platform/record/change.ts'
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

/** The envelope of an event. Members are only added to it, and to `data`, within a version. */
export const EventResponse = StrictObject(
  {
    id: Type.Unsafe<Id<'evt'>>(Type.String({ description: 'Identifies the event.' })),
    type: KnownText<string>(EVENT_TYPES, 'The kind of change. Expect types that you do not know.'),
    version: Type.Integer({ description: 'The version of `data`.' }),
    timestamp: Timestamp('When the change happened.'),
    workspaceId: Type.Unsafe<Id<'wsp'>>(Type.String({ description: 'Its workspace.' })),
    sequence: Type.Integer({
      description:
        'Counts the events of the workspace without gaps, in the order of their commits.',
    }),
    subject: Type.String({ description: 'The id of the resource that changed.' }),
    accountIdentifier: Nullable(
      Type.String({ description: 'The accountIdentifier of the account.' }),
    ),
    cause: ChangeCause,
    data: OpenObject({
      description: 'A snapshot of the resource after the change, and what the type adds.',
    }),
  },
  {
    $id: 'Event',
    examples: [
      {
        id: 'evt_01kahn5s9kf5arr5d1x6z5cq3b',
        type: 'account.needs_reauth',
        version: 1,
        timestamp: '2026-11-22T10:00:00.000Z',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        sequence: 1842,
        subject: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
        accountIdentifier: 'customer-41',
        cause: { kind: 'system', via: 'background', requestId: null },
        data: { previous: { status: 'active' }, reason: 'invalid_grant' },
      },
    ],
  },
)
export type EventResponse = Static<typeof EventResponse>

export function serializeEvent(event: PublishedEvent): EventResponse {
  const { eventId: id, type, version, workspaceId, sequence, subject } = event
  const { accountIdentifier, cause, data } = event
  const timestamp = toTimestamp(event.at)
  return {
    id,
    type,
    version,
    timestamp,
    workspaceId,
    sequence,
    subject,
    accountIdentifier,
    cause,
    data,
  }
}
