import { ERRORS } from '../../packages/server/src/platform/error-codes.ts'
import { formatTypes } from './format-types.ts'
import { renderComment, renderObject, renderSchema, type Schema } from './render-schema.ts'

/** The parts of the OpenAPI document that the types of the SDK come from. */
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly webhooks: Readonly<Record<string, { readonly post: EventOperation }>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface EventOperation {
  readonly description: string
  readonly requestBody: {
    readonly content: { readonly 'application/json': { readonly schema: Schema } }
  }
}

const HEADER = '// Generated from the OpenAPI document by `npm run generate`. Do not edit.'

/**
 * The contents of `packages/sdk/src/api-types.ts` for an OpenAPI document: an interface for each named schema, for the query of each operation and for each type of event,
 * and the codes of errors. @throws Error for parts of the document that it does not know
 */
export function renderTypes(apiDocument: object): string {
  const document = apiDocument as ApiDocument
  const errorCodes = Object.keys(ERRORS).toSorted()
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) =>
    renderInterface(name, schema),
  )
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const events = Object.entries(document.webhooks)
  return formatTypes(
    [
      HEADER,
      ...schemas,
      ...operations.flatMap(renderQuery),
      ...events.map(([type, { post }]) => renderEvent(type, post)),
      renderEventMap(events.map(([type]) => type)),
      `/** The codes of errors that this version knows. Services may return others. */\nexport type ErrorCode = ${errorCodes.map((code) => `'${code}'`).join(' | ')}`,
    ].join('\n\n'),
  )
}

function renderInterface(name: string, schema: Schema): string {
  if (schema.anyOf !== undefined)
    return `${renderComment(schema.description)}export type ${name} = ${renderSchema(schema)}`
  return `${renderComment(schema.description)}export interface ${name} ${renderObject(schema)}`
}

/** The query parameters of an operation; nothing if it has none. */
function renderQuery({ operationId, summary, parameters = [] }: Operation): string[] {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  if (query.length === 0) return []
  const schema: Schema = {
    description: `Query parameters: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}.`,
    properties: Object.fromEntries(
      query.map(({ name, schema: field, description }) => [
        name,
        description === undefined ? field : { ...field, description },
      ]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  }
  return [renderInterface(`${capitalize(operationId)}Query`, schema)]
}

/** An event: the members of every event, its type and its data. */
function renderEvent(type: string, { description, requestBody }: EventOperation): string {
  const { data } = requestBody.content['application/json'].schema.properties ?? {}
  if (data === undefined) throw new Error(`${type} has no data.`)
  const comment = renderComment(description)
  return `${comment}export interface ${nameEvent(type)} extends Omit<Event, 'type' | 'data'> {\ntype: '${type}'\ndata: ${renderSchema(data)}\n}`
}

function renderEventMap(types: readonly string[]): string {
  const members = types.map((type) => `'${type}': ${nameEvent(type)}`)
  return `/** The events by their types. */
export interface EventByType {
${members.join('\n')}
}

/**
 * An event, by its \`type\`. A newer service may send types that this version does not know: ignore them in the \`default\`
 * branch of a \`switch\`.
 */
export type LinchpinEvent = EventByType[keyof EventByType]`
}

/** `connect_session.created` → `ConnectSessionCreatedEvent` */
function nameEvent(type: string): string {
  return `${type.split(/[._]/).map(capitalize).join('')}Event`
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
