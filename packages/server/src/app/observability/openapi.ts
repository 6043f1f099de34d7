import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { Token } from '../../access/tokens/token.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  IntegrationAccount,
  REPORTED_STATUSES,
  STATUS_REASONS,
} from '../../accounts/accounts/account.ts'
import { AgentApprovalResponse } from '../../accounts/agents/agent-approval.ts'
import { AgentSessionResponse } from '../../accounts/agents/agent-session.ts'
import { EventResponse, type PublishedEvent } from '../../activity/events/event.ts'
import { WebhookEndpointResponse } from '../../activity/webhooks/schemas.ts'
import { ConnectSessionResponse } from '../../connect/connect-sessions/schemas.ts'
import { LinkResponse } from '../../connect/links/schemas.ts'
import { IntegrationDefinition } from '../../integrations/definitions/schemas.ts'
import { IntegrationOAuthApp } from '../../integrations/oauth-apps/schemas.ts'
import { addReferencedSchemas, KnownText, ref } from '../../platform/http/schema.ts'
import {
  EVENT_DECLARATIONS,
  type EventDeclaration,
  type EventExamples,
  type EventResource,
  type EventSchemas,
  type EventType,
} from '../../platform/record/event-types.ts'
import { newId } from '../../platform/storage/id.ts'
import { completeDocument } from './complete-document.ts'

/**
 * Generates the OpenAPI document from the schemas of the routes and of the events; the schemas that the routes refer to become
 * its components.
 * Must be registered before the routes.
 */
export async function registerOpenApi(app: FastifyInstance, baseUrl: () => string): Promise<void> {
  addReferencedSchemas(app)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Linchpin',
        version: '1.0',
        description:
          'The connection layer of a product: integration definitions, accounts, links, users, workspaces and tokens. Every failure is an ApiException; its `error` has a stable code.',
        license: { name: 'MIT', identifier: 'MIT' },
        contact: { name: 'The operator of this Linchpin', url: `${baseUrl()}/docs` },
      },
      servers: [{ url: baseUrl() }],
      // In the order in which a newcomer meets them; the reference shows it.
      tags: [
        {
          name: 'Connect sessions',
          description: 'Sessions in which one customer connects accounts.',
        },
        {
          name: 'Integration accounts',
          description: 'Connected accounts, and requests through them.',
        },
        { name: 'Integration definitions', description: 'Integrations that can be connected.' },
        { name: 'OAuth apps', description: 'The OAuth clients of a workspace at providers.' },
        { name: 'Links', description: 'Shareable links through which accounts are added.' },
        { name: 'Attempts', description: 'Why connecting an account succeeded or failed.' },
        { name: 'Events', description: 'What changed in a workspace.' },
        { name: 'Webhooks', description: 'URLs that receive the events of a workspace.' },
        { name: 'Tokens', description: 'Access tokens of the API.' },
        { name: 'Requests', description: 'The log of requests to the API and to providers.' },
        { name: 'Agent sessions', description: 'What an AI agent may do with accounts.' },
        { name: 'Statistics', description: 'How often something happened, by hour or day.' },
        { name: 'Members', description: 'People of the team who use the console.' },
        { name: 'Users', description: 'Users of the API.' },
        { name: 'Workspaces', description: 'Workspaces that own all other resources.' },
        { name: 'Audit trail', description: 'Who did what, when and from where.' },
        { name: 'Bulk jobs', description: 'One action for many integration accounts.' },
        { name: 'Erasure', description: 'Erasing and exporting what is stored about customers.' },
        { name: 'Instance', description: 'The service itself, for its administrators.' },
      ],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer lp_…' },
        },
      },
      security: [{ bearer: [] }],
      webhooks: createWebhooks(),
    },
    transformObject: (documented) =>
      'openapiObject' in documented
        ? completeDocument(documented.openapiObject)
        : documented.swaggerObject,
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `Schema${index}`,
    },
  })
}

const truncated = Type.Optional(
  Type.Array(Type.String(), {
    description: 'The paths of arrays and texts that were cut, because an event has at most 20 kB.',
  }),
)

/** The `webhooks` section of the OpenAPI document: each type of event with the schema of its envelope. */
function createWebhooks(): Record<string, object> {
  const entries = listEventSchemas().map(([type, { when, data }]) => {
    const schema = Type.Object({
      ...EventResponse.properties,
      type: Type.Literal(type, { description: 'The kind of change.' }),
      data: Type.Object({ ...data, truncated }, { description: when }),
    })
    return [type, { post: createOperation(type, when, toOpenApi(schema)) }]
  })
  return Object.fromEntries(entries)
}

function createOperation(type: string, when: string, schema: object) {
  return {
    operationId: type,
    summary: type,
    description: when,
    tags: ['Events'],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { '2XX': { description: 'The event was received.' } },
  }
}

/** Plain JSON, in which references point to the components of the document. */
function toOpenApi(schema: TSchema): object {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' ? `#/components/schemas/${value.slice(0, -1)}` : value,
  )
}

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
  agentApproval: AgentApprovalResponse,
  agentSession: AgentSessionResponse,
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
