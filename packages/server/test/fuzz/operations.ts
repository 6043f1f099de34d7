import type { TestApp } from '../test-app.ts'

/** The parts of JSON Schema that the service's own schemas use. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly pattern?: string
  readonly examples?: readonly unknown[]
}

/** An operation of the OpenAPI document with resolved references. */
export interface Operation {
  readonly id: string
  readonly method: string
  /** The path below /api, with parameters as `{name}`. */
  readonly path: string
  readonly query: Readonly<Record<string, Schema>>
  readonly body: Schema | undefined
}

/** All operations of the OpenAPI document. */
export async function readOperations(service: TestApp): Promise<Operation[]> {
  const document = (await service.call('GET', '/openapi.json')).body
  const resolve = (schema: Schema): Schema => {
    if (schema.$ref !== undefined)
      return resolve(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''])
    const { properties, items } = schema
    return {
      ...schema,
      ...(items === undefined ? {} : { items: resolve(items) }),
      ...(properties === undefined ? {} : { properties: mapValues(properties, resolve) }),
    }
  }
  return Object.entries(
    document.paths as Record<string, Record<string, DescribedOperation>>,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path: path.replace(/^\/api/, ''),
      query: Object.fromEntries(
        (described.parameters ?? [])
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, schema }) => [name, resolve(schema)]),
      ),
      body: mapOptional(described.requestBody?.content['application/json']?.schema, resolve),
    })),
  )
}

interface DescribedOperation {
  readonly operationId: string
  readonly parameters?: readonly { name: string; in: string; schema: Schema }[]
  readonly requestBody?: { content: Record<string, { schema: Schema }> }
}

function mapValues<T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
}

function mapOptional<T, R>(value: T | undefined, change: (value: T) => R): R | undefined {
  return value === undefined ? undefined : change(value)
}
