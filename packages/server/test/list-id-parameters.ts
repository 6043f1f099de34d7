import type { TestApp } from './test-app.ts'

/** One parameter that refers to a resource by id, such as `linkId` in the path of getLink. */
export interface IdParameter {
  readonly operation: string
  readonly method: string
  /** The path as in the document, with `{names}`. */
  readonly path: string
  readonly location: 'path' | 'query' | 'body'
  readonly name: string
}

/** Every reference of every operation, read from the OpenAPI document that the service serves. */
export async function listIdParameters(app: TestApp): Promise<IdParameter[]> {
  const { paths, components } = (await app.call('GET', '!/api/openapi.json')).body
  const found: IdParameter[] = []
  for (const [path, methods] of Object.entries<Record<string, Operation>>(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const add = (location: IdParameter['location'], name: string) =>
        found.push({
          operation: operation.operationId,
          method: method.toUpperCase(),
          path,
          location,
          name,
        })
      for (const parameter of operation.parameters ?? [])
        if (isIdName(parameter.name)) add(parameter.in, parameter.name)
      const schema = operation.requestBody?.content['application/json']?.schema
      const named = components.schemas[schema?.$ref?.split('/').at(-1) ?? '']
      for (const name of Object.keys((named ?? schema)?.properties ?? {}))
        if (isIdName(name)) add('body', name)
    }
  return found
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly in: 'path' | 'query'; readonly name: string }[]
  readonly requestBody?: {
    readonly content: Record<
      string,
      { readonly schema?: { readonly $ref?: string; properties?: object } }
    >
  }
}

/** The provider assigns `clientId` and `identityId`, another system `externalId`, and `requestId` is any request's: they do not refer to resources. */
function isIdName(name: string): boolean {
  return /(^id|Ids?)$/.test(name) && !OTHER_IDS.has(name)
}

const OTHER_IDS: ReadonlySet<string> = new Set([
  'clientId',
  'externalId',
  'identityId',
  'requestId',
])
