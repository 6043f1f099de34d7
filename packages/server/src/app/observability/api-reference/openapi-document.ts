/** The parts of an OpenAPI 3.1 document that the reference shows. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

/** An operation (OpenAPI 3.1 section 4.8.10). */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, Response>>
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

export interface Response {
  readonly $ref?: string
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

/** A JSON Schema, as far as the reference shows it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly examples?: readonly unknown[]
}

/** An operation with its address. */
export interface OperationEntry {
  /** In upper case. */
  readonly method: string
  /** Without `/api`. */
  readonly path: string
  readonly operation: Operation
}

/** The operations of a tag, in the order of the document, with the responses that they refer to. */
export function listOperations(document: OpenApiDocument, tag: string): OperationEntry[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: path.replace(/^\/api/, ''),
        operation: { ...operation, responses: resolveResponses(document, operation) },
      })),
  )
}

function resolveResponses({ components }: OpenApiDocument, { responses }: Operation) {
  const entries = Object.entries(responses).map(([status, response]) => [
    status,
    components.responses[getRefName(response) ?? ''] ?? response,
  ])
  return Object.fromEntries(entries)
}

/** The name of the schema that a reference refers to. */
export function getRefName({ $ref }: { readonly $ref?: string }): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1)
}

/** The schema itself, or the one that it refers to. */
export function resolveRef(document: OpenApiDocument, schema: Schema): Schema {
  const name = getRefName(schema)
  return name === undefined ? schema : (document.components.schemas[name] ?? schema)
}

/** The first example of a schema; of a list, a list of the example of its items. */
export function getExample(document: OpenApiDocument, schema: Schema): unknown {
  const resolved = resolveRef(document, schema)
  if (resolved.examples !== undefined) return resolved.examples[0]
  if (resolved.items === undefined) return undefined
  const item = getExample(document, resolved.items)
  return item === undefined ? undefined : [item]
}
