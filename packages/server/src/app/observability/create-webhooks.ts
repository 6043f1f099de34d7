import Type, { type TSchema } from 'typebox'
import { EventResponse } from '../../activity/events/schemas.ts'
import { EVENT_SCHEMAS } from './event-schemas.ts'

const truncated = Type.Optional(
  Type.Array(Type.String(), {
    description: 'The paths of arrays and texts that were cut, because an event has at most 20 kB.',
  }),
)

/** The `webhooks` section of the OpenAPI document: each type of event with the schema of its envelope. */
export function createWebhooks(): Record<string, object> {
  const entries = Object.entries(EVENT_SCHEMAS).map(([type, { when, data }]) => {
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
