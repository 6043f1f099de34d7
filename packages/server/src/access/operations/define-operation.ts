import type { FastifyContextConfig, FastifyReply, RouteOptions } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from '../../platform/error-codes.ts'
import type { AuditAction } from '../../platform/record/change.ts'
import type { Caller } from '../auth/caller.ts'
import type { DirectRead } from '../auth/direct-reads.ts'
import type { OperationScope } from '../auth/scopes.ts'

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
  /** The method of the SDK, `group.method`, from which the command of the command line follows. */
  readonly sdk: string
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
  /** Of a response that is a text, such as JSON lines: `response` is `Type.String()`. Default: JSON. */
  readonly contentType?: string
  /** What the response is, as a noun phrase with a full stop. */
  readonly returns: string
  /** The error codes besides those of every request of its kind. */
  readonly errors: readonly ErrorCode[]
  /** What the audit trail records of it. Absent if it only reads; a test asks every other operation for it. */
  readonly audit?: AuditAction
  /** Rates, tokens of accounts, idempotency: what the hooks of other modules read from a route. */
  readonly config?: Omit<FastifyContextConfig, 'scope' | 'directRead'>
  /** The limit of its body in bytes, and what admits it. */
  readonly route?: (deps: Deps) => Pick<RouteOptions, 'bodyLimit' | 'preParsing'>
  /** Answers the plain requests before they reach the framework. */
  readonly directRead?: (deps: Deps) => DirectRead
  /** Its result is the response: JSON text and streams as they are, anything else through the schema. `reply` is for headers. */
  readonly handle: (
    deps: Deps,
    caller: Caller,
    input: OperationInput<Params, Query, Body>,
    reply: FastifyReply,
  ) => unknown
}

/** An operation whose input is checked by its own schemas: `never` lets operations of all inputs be in one list. */
export interface Operation<Deps>
  extends Omit<
    OperationDeclaration<Deps, TSchema | undefined, TSchema | undefined, TSchema | undefined>,
    'handle'
  > {
  readonly handle: (deps: Deps, caller: Caller, input: never, reply: FastifyReply) => unknown
}

/** Returns the declaration as it is; it only lets TypeScript derive the types of `handle` from the schemas. */
export function defineOperation<
  Deps,
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(operation: OperationDeclaration<Deps, Params, Query, Body>): Operation<Deps> {
  return operation
}
