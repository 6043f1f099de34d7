import { Readable } from 'node:stream'
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from '../../platform/error-codes.ts'
import { getLogFields } from '../../platform/http/log.ts'
import { createResponseSchemas, EmptyQuery, ref } from '../../platform/http/schema.ts'
import { hasEtag } from '../../platform/http/send-page.ts'
import { sendJson } from '../../platform/http/serializer.ts'
import type { AuditAction } from '../../platform/record/change.ts'
import { getCaller } from '../auth/authenticate-requests.ts'
import type { Caller, OperationScope } from '../auth/caller.ts'
import type { DirectRead } from '../auth/direct-reads.ts'
import { createRepresentation } from '../auth/response-cache.ts'

/** What a request has sent, after its validation. */
export interface OperationInput<Params, Query, Body> {
  readonly params: Value<Params>
  readonly query: Value<Query>
  readonly body: Value<Body>
}

type Value<Schema> = Schema extends TSchema ? Static<Schema> : undefined

/**
 * An operation of the API: all that the route, the OpenAPI document, the SDK, the command line and the generated tests know about
 * it. `Deps` is what `handle` needs.
 */
export interface OperationDeclaration<Deps, Params, Query, Body> {
  /** The `operationId`, unique in the API. */
  readonly id: string
  /** The method of the SDK, `group.method`, from which the command of the command line follows. Absent: it sends it in a way of its own. */
  readonly sdk?: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/api`, such as `/v1/link/:linkId`. */
  readonly path: string
  /** The group in the API reference. */
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Absent: any valid token. */
  readonly scope?: OperationScope
  readonly params?: Params
  /** Absent: any parameter is an error. */
  readonly query?: Query
  readonly body?: Body
  /** Of success. Default: 200. */
  readonly status?: 200 | 201
  readonly response: TSchema
  /** Of a response that is a text, such as JSON lines: `response` is `Type.String()`, unless `handle` sends it. Default: JSON. */
  readonly contentType?: string
  /** What the response is, as a noun phrase with a full stop. */
  readonly returns: string
  /** The error codes besides those of every request of its kind. */
  readonly errors: readonly ErrorCode[]
  /** What the audit trail records of it. Absent if it only reads; a test asks every other operation for it. */
  readonly audit?: AuditAction
  /** Rates, tokens of accounts, idempotency: what the hooks of other modules read from a route. */
  readonly config?: Omit<FastifyContextConfig, 'scope' | 'directRead'>
  /** The limit of its body in bytes, and what admits the body or, like a scope, the request. */
  readonly route?: (deps: Deps) => Pick<RouteOptions, 'bodyLimit' | 'preParsing' | 'onRequest'>
  /** Answers the plain requests before they reach the framework. Its responses have an entity tag. */
  readonly directRead?: (deps: Deps) => DirectRead
  /** Its result is the response: JSON text and streams unchanged, anything else through the schema. `reply` is for headers. */
  readonly handle: (
    deps: Deps,
    caller: Caller,
    input: OperationInput<Params, Query, Body>,
    reply: FastifyReply,
  ) => unknown
}

/** An operation whose input is checked by its own schemas: `never` lets operations of all inputs be in one list. */
interface Operation<Deps>
  extends Omit<
    OperationDeclaration<Deps, TSchema | undefined, TSchema | undefined, TSchema | undefined>,
    'handle'
  > {
  readonly handle: (deps: Deps, caller: Caller, input: never, reply: FastifyReply) => unknown
}

/** Returns the declaration unchanged; it only lets TypeScript derive the types of `handle` from the schemas. */
export function defineOperation<
  Deps,
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(operation: OperationDeclaration<Deps, Params, Query, Body>): Operation<Deps> {
  return operation
}

/** Error codes that several operations have in common, besides those of every request. First: running an integration's code. */
export const BUNDLE_ERRORS = [
  'integration_failed',
  'integration_timeout',
  'integration_limit',
  'integration_bad_output',
] as const satisfies readonly ErrorCode[]

/** Requests to a provider by an integration's code. */
export const PROVIDER_ERRORS = [
  ...BUNDLE_ERRORS,
  'provider_error',
  'provider_timeout',
  'egress_unavailable',
  'circuit_open',
] as const satisfies readonly ErrorCode[]

/** Verifying credentials. */
export const CHECK_ERRORS = [
  ...PROVIDER_ERRORS,
  'auth_type_not_allowed',
  'secret_required',
  'refresh_in_progress',
] as const satisfies readonly ErrorCode[]

/** Connecting an account through a link. */
export const LINK_ERRORS = [
  'link_expired',
  'link_revoked',
  'link_full',
  'link_identifier_full',
] as const satisfies readonly ErrorCode[]

/** Using an account's credentials. */
export const GRANT_ERRORS = [
  ...PROVIDER_ERRORS,
  'integration_account_not_found',
  'account_pending',
  'needs_reauth',
  'oauth_app_missing',
  'oauth_app_secret_required',
  'refresh_in_progress',
] as const satisfies readonly ErrorCode[]

/** Requests through an account. */
export const PROXY_ERRORS = [
  ...GRANT_ERRORS,
  'proxy_unavailable',
  'proxy_target_not_allowed',
  'agent_rule_denied',
  'agent_budget_spent',
  'approval_required',
  'approval_denied',
  'approval_limit',
] as const satisfies readonly ErrorCode[]

/** Downloading and loading a bundle. */
export const DOWNLOAD_ERRORS = [
  'source_url_forbidden',
  'source_unreachable',
  'source_too_large',
  'bundle_invalid',
  'integration_timeout',
  'integration_limit',
  'integration_failed',
] as const satisfies readonly ErrorCode[]

/** The routes of operations, behind `authenticateRequests`. */
export function operationRoutes<Deps>(
  operations: readonly Operation<Deps>[],
  deps: Deps,
): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    for (const operation of operations) app.route(createRoute(operation, deps))
  }
}

function createRoute<Deps>(operation: Operation<Deps>, deps: Deps): RouteOptions {
  const { method, path, scope, config, route, status = 200, handle } = operation
  const directRead = operation.directRead?.(deps)
  return {
    ...route?.(deps),
    method,
    url: path,
    config: {
      ...config,
      ...(scope !== undefined && { scope }),
      ...(directRead !== undefined && { directRead }),
    },
    schema: createSchema(operation),
    handler: async (request, reply) => {
      const input = { params: request.params, query: request.query, body: request.body }
      const version = directRead?.cache.readVersion()
      const result = await handle(deps, getCaller(request), input as never, reply.code(status))
      return directRead !== undefined && isText(result)
        ? sendTagged(request, reply, result, { directRead, version })
        : send(reply, result, operation.contentType)
    },
  }
}

/** Sends JSON with its entity tag, or 304 to a client that has it already (RFC 9110, section 15.4.5). */
function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  result: string | Uint8Array,
  {
    directRead,
    version,
  }: { readonly directRead: DirectRead; readonly version: number | undefined },
) {
  const { workspaceId } = getLogFields(request)
  const link = reply.getHeader('link') as string | undefined
  const representation = createRepresentation(result, { link, workspaceId })
  // Those of other operations may depend on more than stored data.
  if (directRead.read === undefined)
    directRead.cache.add(getCaller(request), request.originalUrl, version, representation)
  reply.header('etag', representation.etag)
  return hasEtag(request, representation.etag)
    ? reply.code(304).send()
    : sendJson(reply, representation.json)
}

function createSchema<Deps>(operation: Operation<Deps>) {
  const { id, summary, description, tag, params, query, body } = operation
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    ...(params !== undefined && { params }),
    querystring: query ?? EmptyQuery,
    ...(body !== undefined && { body: toReference(body) }),
    response: createResponses(operation),
  }
}

function createResponses<Deps>(operation: Operation<Deps>) {
  const { status = 200, response, returns, contentType } = operation
  const responses = createResponseSchemas(status, toReference(response), returns)
  if (contentType === undefined) return responses
  const success = { description: returns, content: { [contentType]: { schema: response } } }
  return { ...responses, [status]: success }
}

/** A named schema is referred to, so that the OpenAPI document and the SDK have it once. */
function toReference(schema: TSchema): TSchema {
  return '$id' in schema ? ref(schema) : schema
}

function send(reply: FastifyReply, result: unknown, contentType: string | undefined) {
  if (reply.sent || result === reply) return reply
  if (contentType !== undefined)
    return reply.header('content-type', `${contentType}; charset=utf-8`).send(result)
  const isJson = isText(result) || result instanceof Readable
  return isJson ? sendJson(reply, result) : reply.send(result)
}

function isText(result: unknown): result is string | Uint8Array {
  return typeof result === 'string' || result instanceof Uint8Array
}
