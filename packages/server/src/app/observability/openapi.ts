import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { EventResponse } from '../../activity/events/schemas.ts'
import { addReferencedSchemas } from '../../platform/http/schema.ts'
import { completeDocument } from './complete-document.ts'
import { listEventSchemas } from './event-schemas.ts'

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
        { name: 'Users', description: 'Users of the API.' },
        { name: 'Workspaces', description: 'Workspaces that own all other resources.' },
        { name: 'Audit trail', description: 'Who did what, when and from where.' },
        { name: 'Erasure', description: 'Erasing and exporting what is stored about customers.' },
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
