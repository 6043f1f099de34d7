import type { OperationScope } from '../src/access/auth/caller.ts'
import { FORWARDED_OPERATIONS } from '../src/accounts/proxy/operations.ts'
import { sendProxyRequestOperation } from '../src/accounts/proxy/send-proxy-request.ts'
import { OPERATIONS } from '../src/app/operations.ts'
import type { AuditAction } from '../src/platform/record/change.ts'
import { testApp } from './test-app.ts'

/** An operation of the OpenAPI document that the service serves, with what its declaration adds. */
export interface ApiOperation extends Declared {
  readonly operationId: string
  /** In capital letters. */
  readonly method: string
  /** Below `/api`, with `{names}`. */
  readonly path: string
  /** Whether `Idempotency-Key` is documented. */
  readonly isKeyed: boolean
  readonly description: string
  /** Whether a response has a value that no later request gets. */
  readonly returnsSecret: boolean
  /** The JSON body; undefined if it has none. */
  readonly body: BodySchema | undefined
  readonly requiredQuery: readonly string[]
}

interface Declared {
  /** `any` accepts every valid token, and `write` includes all `*:write` scopes. */
  readonly scope: OperationScope | 'any'
  readonly audit: AuditAction | undefined
}

export interface BodySchema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly examples?: readonly Readonly<Record<string, unknown>>[]
}

/** Every operation of the API. */
export async function listApiOperations(): Promise<readonly ApiOperation[]> {
  const t = await testApp()
  try {
    return readApiOperations(t.app)
  } finally {
    await t.close()
  }
}

/** Every operation of the document of this service. @throws Error if one is not declared */
export function readApiOperations(app: { swagger(): unknown }): readonly ApiOperation[] {
  const { paths, components } = app.swagger() as ApiDocument
  const secretSchemas = Object.entries(components.schemas).flatMap(([name, schema]) =>
    /[Rr]eturned (?:only|this) once/.test(JSON.stringify(schema))
      ? [`"#/components/schemas/${name}"`]
      : [],
  )
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, description, responses, parameters = [] } = operation
      const schema = operation.requestBody?.content['application/json']?.schema
      const isRequiredQuery = (one: Parameter) => one.in === 'query' && one.required === true
      return {
        ...getDeclared(operationId),
        operationId,
        method: method.toUpperCase(),
        path: path.replace(/^\/api/, ''),
        isKeyed: parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key'),
        description,
        returnsSecret: secretSchemas.some((name) => JSON.stringify(responses).includes(name)),
        body: components.schemas[schema?.$ref?.split('/').at(-1) ?? ''] ?? schema,
        requiredQuery: parameters.filter(isRequiredQuery).map(({ name }) => name),
      }
    }),
  )
}

function getDeclared(operationId: string): Declared {
  const isForwarded = FORWARDED_OPERATIONS.some(({ id }) => id === operationId)
  // A forwarded request needs what a described one needs.
  const id = isForwarded ? sendProxyRequestOperation.id : operationId
  const declared = OPERATIONS.find((operation) => operation.id === id)
  if (declared === undefined) throw new Error(`${operationId} is not declared`)
  return { scope: declared.scope ?? 'any', audit: declared.audit }
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, BodySchema>> }
}

interface Operation {
  readonly operationId: string
  readonly description: string
  readonly responses: object
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: BodySchema & { $ref?: string } }>>
  }
}

interface Parameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly required?: boolean
}
