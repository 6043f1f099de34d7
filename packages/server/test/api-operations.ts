import type { OperationScope } from '../src/access/auth/scopes.ts'
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
  const operation = OPERATIONS.find(({ id }) => id === operationId)
  const declared = operation ?? UNDECLARED[operationId]
  if (declared === undefined) throw new Error(`${operationId} is not declared`)
  return { scope: declared.scope ?? 'any', audit: declared.audit }
}

/** Those whose routes are written by hand. */
const UNDECLARED: Readonly<Record<string, Partial<Declared>>> = {
  getUser: {},
  createUser: { scope: 'admin', audit: 'user.created' },
  createToken: { scope: 'tokens', audit: 'token.created' },
  listTokens: { scope: 'tokens' },
  deleteToken: { scope: 'tokens', audit: 'token.revoked' },
  listWorkspaces: { scope: 'read' },
  createWorkspace: { scope: 'workspace:write', audit: 'workspace.created' },
  updateWorkspace: { scope: 'workspace:write', audit: 'workspace.updated' },
  upgradeDefinition: { scope: 'definitions:write', audit: 'definition.upgraded' },
  rollbackDefinition: { scope: 'definitions:write', audit: 'definition.rolled_back' },
  previewDefinition: { scope: 'definitions:write', audit: 'definition.previewed' },
  getDefinitionPreview: { scope: 'read' },
  listAccounts: { scope: 'read' },
  getAccount: { scope: 'read' },
  listAccountHistory: { scope: 'read' },
  getAccountCredentials: { scope: 'credentials:read', audit: 'account.credentials_read' },
  createAccount: { scope: 'accounts:write', audit: 'account.created' },
  checkAccount: { scope: 'accounts:write' },
  importAccount: { scope: 'admin', audit: 'account.created' },
  updateAccount: { scope: 'accounts:write', audit: 'account.updated' },
  deleteAccount: { scope: 'accounts:write', audit: 'account.deleted' },
  createConnectSession: { scope: 'links:write', audit: 'connect_session.created' },
  listConnectSessions: { scope: 'read' },
  getConnectSession: { scope: 'read' },
  deleteConnectSession: { scope: 'links:write', audit: 'connect_session.revoked' },
  confirmConnectSession: { scope: 'accounts:write', audit: 'account.confirmed' },
  listAttempts: { scope: 'read' },
  startOAuth: { scope: 'accounts:write' },
  confirmOAuth: { scope: 'accounts:write', audit: 'account.confirmed' },
  sendProxyRequest: { scope: 'proxy' },
  proxyGet: { scope: 'proxy' },
  proxyPost: { scope: 'proxy' },
  proxyPut: { scope: 'proxy' },
  proxyPatch: { scope: 'proxy' },
  proxyDelete: { scope: 'proxy' },
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
