import { nameOption } from '../../packages/cli/src/api/operation-names.ts'
import { SDK_METHODS } from '../../packages/server/src/app/operations.ts'
import { formatTypes } from './format-types.ts'

interface FieldSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly writeOnly?: boolean
  readonly enum?: readonly unknown[]
  readonly items?: FieldSchema
  readonly anyOf?: readonly FieldSchema[]
  readonly additionalProperties?: boolean | FieldSchema
}

interface BodySchema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly required?: readonly string[]
}

interface DocumentedOperation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly {
    readonly in: string
    readonly name: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: FieldSchema
  }[]
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: BodySchema } }
  }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, BodySchema>> }
}

interface Field {
  readonly name: string
  readonly schema: FieldSchema
  readonly description: string | undefined
  readonly isRequired: boolean
}

/** Fields whose values may be credentials, besides those that the document calls write-only. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['config', 'confirmToken', 'headers', 'tokens'])

/**
 * The contents of `packages/cli/src/api/operation-table.ts`: the operations of the SDK with their fields, from an OpenAPI
 * document.
 */
export function renderOperationTable(document: object): string {
  const { paths, components } = document as Document
  const documented = Object.values(paths).flatMap((methods) => Object.values(methods))
  const rows = Object.entries(SDK_METHODS).map(([operationId, method]) => {
    const operation = documented.find((one) => one.operationId === operationId)
    if (operation === undefined) throw new Error(`${operationId} is not in the document.`)
    return describeOperation(method, operation, components.schemas)
  })
  return formatTypes(
    `// Generated from the OpenAPI document by \`npm run generate\`. Do not edit.
import type { Operation } from './operation.ts'

/** The operations of the API with the methods of the SDK that send them. */
export const OPERATIONS: readonly Operation[] = ${JSON.stringify(rows)}`,
  )
}

function describeOperation(
  method: string,
  { operationId, summary, parameters = [], requestBody }: DocumentedOperation,
  schemas: Document['components']['schemas'],
): object {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const ids = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const body = requestBody?.content['application/json'].schema
  const { properties = {}, required = [] } =
    body?.$ref === undefined ? (body ?? {}) : (schemas[body.$ref.split('/').at(-1) ?? ''] ?? {})
  const fields: Field[] =
    body === undefined
      ? query.map(({ name, schema, description, required: isRequired = false }) => ({
          name,
          schema,
          description: description ?? schema.description,
          isRequired,
        }))
      : Object.entries(properties).map(([name, schema]) => ({
          name,
          schema,
          description: schema.description,
          isRequired: required.includes(name),
        }))
  const input = body !== undefined ? 'body' : query.length > 0 ? 'query' : 'none'
  return {
    operationId,
    method,
    summary,
    ids,
    input,
    fields: fields.map((field) => describeField(method, field)),
  }
}

function describeField(
  method: string,
  { name, schema: declared, description, isRequired }: Field,
): object {
  // A value, or a list of such: the option can be repeated.
  const schema = declared.anyOf?.find(({ type }) => type === 'array') ?? declared
  const values = schema.enum ?? schema.items?.enum
  return {
    name,
    option: nameOption({ method }, name),
    kind: getKind(schema),
    description: description ?? '',
    ...(isRequired ? { isRequired } : {}),
    ...(schema.writeOnly || SECRET_FIELDS.has(name) ? { isSecret: true } : {}),
    ...(values === undefined ? {} : { values: values.filter((value) => value !== null) }),
  }
}

function getKind({ type, items, additionalProperties }: FieldSchema): string {
  const types = [type ?? []].flat().filter((one) => one !== 'null')
  const [first] = types
  if (types.length !== 1 || first === undefined) return 'json'
  if (first === 'array') return items?.type === 'object' ? 'json' : 'list'
  if (first !== 'object') return first
  return typeof additionalProperties === 'object' && additionalProperties.type === 'string'
    ? 'record'
    : 'json'
}
