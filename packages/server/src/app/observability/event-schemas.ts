import Type, { type TSchema } from 'typebox'
import { Token } from '../../access/tokens/schemas.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { REPORTED_STATUSES, STATUS_REASONS } from '../../accounts/accounts/account.ts'
import { IntegrationAccount } from '../../accounts/accounts/schemas/account.ts'
import type { PublishedEvent } from '../../activity/events/event.ts'
import { WebhookEndpointResponse } from '../../activity/webhooks/schemas.ts'
import { ConnectSessionResponse } from '../../connect/connect-sessions/schemas.ts'
import { LinkResponse } from '../../connect/links/schemas.ts'
import { IntegrationDefinition } from '../../integrations/definitions/schemas.ts'
import { IntegrationOAuthApp } from '../../integrations/oauth-apps/schemas.ts'
import { KnownText, ref } from '../../platform/http/schema.ts'
import {
  EVENT_DECLARATIONS,
  type EventDeclaration,
  type EventExamples,
  type EventResource,
  type EventSchemas,
  type EventType,
} from '../../platform/record/event-types.ts'
import { newId } from '../../platform/storage/id.ts'

/** A type of event: when it is published, and the members of its `data`. */
export interface EventSchema {
  readonly when: string
  readonly data: Readonly<Record<string, TSchema>>
}

/** Every type of event with its schema. */
export function listEventSchemas(): readonly (readonly [type: EventType, schema: EventSchema])[] {
  return Object.entries<EventDeclaration>(EVENT_DECLARATIONS).map(([type, { when, data }]) => [
    type as EventType,
    { when, data: data(SCHEMAS) },
  ])
}

/** An event of this type with made-up data, to be sent to an endpoint. Its sequence number is 0, which no event has. */
export function createExampleEvent(
  type: EventType,
  workspaceId: WorkspaceId,
  now: number,
): PublishedEvent {
  const { example }: EventDeclaration = EVENT_DECLARATIONS[type]
  const data = example(EXAMPLES)
  return {
    eventId: newId('evt', now),
    type,
    version: 1,
    workspaceId,
    sequence: 0,
    at: now,
    subject: findSubject(data),
    accountIdentifier: 'account' in data ? 'customer-41' : null,
    cause: { kind: 'system', via: 'background', requestId: null },
    data,
  }
}

/** The id of the resource, which is the first member of its representation. */
function findSubject(data: Readonly<Record<string, unknown>>): string {
  const [resource] = Object.values(data)
  const id =
    typeof resource === 'object' && resource !== null ? Object.values(resource)[0] : resource
  return typeof id === 'string' ? id : ''
}

const RESOURCES = {
  account: IntegrationAccount,
  connectSession: ConnectSessionResponse,
  definition: IntegrationDefinition,
  link: LinkResponse,
  oauthApp: IntegrationOAuthApp,
  token: Token,
  webhookEndpoint: WebhookEndpointResponse,
} satisfies Readonly<Record<EventResource, TSchema>>

const SCHEMAS: EventSchemas = {
  ...mapResources(ref),
  previousStatus: Type.Object(
    { status: KnownText(REPORTED_STATUSES, 'Its status before.') },
    { description: 'What changed.' },
  ),
  statusReason: KnownText(STATUS_REASONS, 'A stable code, as in `statusReason`.'),
}

const examples = mapResources(getExample)
const EXAMPLES: EventExamples = {
  ...examples,
  account: {
    ...examples.account,
    integrationConfiguration: null,
    accountIdentifier: 'customer-41',
  },
}

function mapResources<T>(map: (schema: TSchema) => T): Readonly<Record<EventResource, T>> {
  const entries = Object.entries(RESOURCES).map(([name, schema]) => [name, map(schema)])
  return Object.fromEntries(entries) as Record<EventResource, T>
}

function getExample(schema: TSchema): Readonly<Record<string, unknown>> {
  const { examples } = schema as unknown as { examples: readonly Record<string, unknown>[] }
  return examples[0] ?? {}
}
