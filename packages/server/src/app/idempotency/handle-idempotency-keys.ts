import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import type { Caller } from '../../access/auth/caller.ts'
import type { InstanceKeyDeps } from '../../integrations/catalogue/instance-key-store.ts'
import { ApiError, fieldError, insufficientScope } from '../../platform/errors.ts'
import type { Log } from '../../platform/http/log.ts'
import { sendJson } from '../../platform/http/serializer.ts'
import type { IdempotencyClaim, SealedResponse } from '../../platform/record/change.ts'
import {
  CLAIM_MS,
  createIdempotencyKeyStore,
  createInProgressError,
  createKeyReusedError,
  createSecretWithheldError,
  type IdempotencyCounts,
  type IdempotencyKeyStore,
  type KeyedRequest,
  type StoredKey,
} from '../../platform/record/idempotency-key-store.ts'
import { createIdempotencyRetentionStore } from '../../platform/record/idempotency-retention-store.ts'
import { createSecretsReader, type IdempotencySecrets } from './idempotency-secrets.ts'
import { createStoredKeyLimit, type StoredKeyLimit } from './limit-stored-keys.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation changes nothing, or the header belongs to the provider. */
    readonly ignoresIdempotencyKey?: boolean
    /** The response has a secret that is returned once: only the token of the first request gets it again. */
    readonly returnsSecret?: boolean
  }
}

export interface IdempotencyDeps extends InstanceKeyDeps {
  readonly log: Log
  readonly idempotencyCounts: IdempotencyCounts
}

/** What the hooks share. */
interface Services {
  readonly store: IdempotencyKeyStore
  readonly readSecrets: () => Promise<IdempotencySecrets>
  readonly limit: StoredKeyLimit
  readonly log: Log
  readonly counts: IdempotencyCounts
}

/**
 * Makes every POST of this plugin, except those that ignore the header, repeatable with `Idempotency-Key`: the request
 * has its effect once, and later requests with the key get its response. Must be registered after authentication and before
 * the routes.
 *
 * @throws ApiError `invalid_parameter`, `idempotency_key_reused`, `idempotency_in_progress`, `insufficient_scope` in the
 * `preHandler` hook: after authentication, the check of the scope and validation
 */
export function handleIdempotencyKeys(api: FastifyInstance, deps: IdempotencyDeps): void {
  const store = createIdempotencyKeyStore(deps.database, deps.now)
  const { log } = deps
  const retention = createIdempotencyRetentionStore(deps.database, deps.now)
  const limit = createStoredKeyLimit({ store: retention, log })
  const counts = deps.idempotencyCounts
  const services = { store, limit, log, counts, readSecrets: createSecretsReader(deps) }
  const claimed = new WeakMap<FastifyRequest, ClaimedRequest>()
  api.addHook('onClose', () => limit.stop())
  api.addHook('onRoute', (route) => {
    if (route.method !== 'POST' || route.config?.ignoresIdempotencyKey === true) return
    documentIdempotencyKey(route)
    const operation = getOperation(route)
    // Callbacks: most requests have no key, and a promise would cost each a microsecond.
    addHook(route, 'preHandler', (request: FastifyRequest, reply: FastifyReply, done: Done) => {
      const header = request.headers[HEADER]
      if (header === undefined) return done()
      begin(services, operation, { request, reply, header }).then((running) => {
        if (running === undefined) return
        claimed.set(request, running)
        done()
      }, done)
    })
    addHook(
      route,
      'onSend',
      (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done) => {
        const running = request.headers[HEADER] === undefined ? undefined : claimed.get(request)
        if (running === undefined) return done(null, payload)
        running.finish(reply.statusCode, payload).then(() => done(null, payload), done)
      },
    )
  })
}

type Done = (error?: Error | null, payload?: unknown) => void

function addHook(route: RouteOptions, name: 'preHandler' | 'onSend', hook: unknown): void {
  const hooks = route[name] ?? []
  Object.assign(route, { [name]: [...(Array.isArray(hooks) ? hooks : [hooks]), hook] })
}

/** An operation, and the status of its success. */
interface Operation {
  readonly name: string
  readonly status: number
  readonly returnsSecret: boolean
}

function getOperation({ schema, url, config }: RouteOptions): Operation {
  const { operationId = url, response } = schema as { operationId?: string; response: object }
  return {
    name: operationId,
    status: '201' in response ? 201 : 200,
    returnsSecret: config?.returnsSecret === true,
  }
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly header: string | string[]
}

/** Claims the key of a request, whose caller then carries the claim; undefined if a stored response was sent instead. */
async function begin(
  services: Services,
  { name: operation, status, returnsSecret }: Operation,
  { request, reply, header }: Exchange,
): Promise<ClaimedRequest | undefined> {
  const key = parseIdempotencyKey(header)
  const secrets = await services.readSecrets()
  const caller = getCaller(request)
  const { userId, boundWorkspaceId } = caller
  const keyHash = secrets.hashKey(key)
  const owned = { userId, boundWorkspaceId, keyHash, owner: services.store.createOwner() }
  const keyed: KeyedRequest = {
    operation,
    fingerprint: secrets.fingerprint(operation, request.url, request.body),
    scopes: [...caller.scopes, ...(returnsSecret ? [nameToken(caller)] : [])],
  }
  const stored = await claimOrFind(services.store, owned, keyed)
  services.counts[describeKey(stored, keyed)] += 1
  if (stored !== undefined) {
    const json = secrets.open(owned, assertReplayable(stored, keyed, caller).sealed)
    reply.code(stored.response?.status ?? status).header('idempotent-replayed', 'true')
    sendJson(reply, json)
    return undefined
  }
  const serialize = reply.getSerializationFunction(String(status))
  const running = runClaimedRequest(services, owned, {
    status,
    seal: (json) => secrets.seal(owned, json),
    serialize: (response) =>
      serialize?.(response as Record<string, unknown>) ?? JSON.stringify(response),
  })
  request.setDecorator('caller', { ...caller, idempotencyClaim: running.claim })
  return running
}

/** The token that a key belongs to, among the scopes that are stored with the key. */
function nameToken({ tokenId }: Caller): string {
  return TOKEN_PREFIX + tokenId
}

const TOKEN_PREFIX = 'token:'

/** What is stored for the key; undefined once it is claimed. */
async function claimOrFind(
  store: IdempotencyKeyStore,
  owned: Parameters<IdempotencyKeyStore['claim']>[0],
  request: KeyedRequest,
): Promise<StoredKey | undefined> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const found = await store.claim(owned, request)
    if (found === 'claimed') return undefined
    if (found !== undefined) return found
  }
  throw createInProgressError()
}

/** The key may be released between the statements that claim it and read it. */
const MAX_ATTEMPTS = 3

function describeKey(
  stored: StoredKey | undefined,
  { fingerprint }: KeyedRequest,
): keyof IdempotencyCounts {
  if (stored === undefined) return 'first'
  if (!isSameRequest(stored, fingerprint)) return 'reused'
  return stored.state === 'running' ? 'in_progress' : 'replayed'
}

function isSameRequest(stored: StoredKey, fingerprint: Uint8Array): boolean {
  return Buffer.from(stored.fingerprint).equals(fingerprint)
}

/** @throws ApiError when this request must not get the stored response */
function assertReplayable(stored: StoredKey, request: KeyedRequest, caller: Caller) {
  if (!isSameRequest(stored, request.fingerprint)) throw createKeyReusedError()
  if (stored.state === 'running') throw createInProgressError()
  // A response may contain a token with these scopes.
  const missing = stored.scopes.find(
    (scope) => !scope.startsWith(TOKEN_PREFIX) && !caller.scopes.has(scope),
  )
  if (missing !== undefined) throw insufficientScope(missing)
  // Its secret may be worth more than the token of this request: a token may live longer.
  const own = nameToken(caller)
  if (request.scopes.includes(own) && !stored.scopes.includes(own))
    throw createSecretWithheldError()
  if (stored.response === undefined)
    throw new Error(`${stored.operation} settled an idempotency key without its response`)
  return stored.response
}

const HEADERS = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'Makes the request safe to retry: within 24 hours, a request with the same key and the same body gets the response of the first and has no further effect. Use a new random value, such as a UUID, for each request.',
    },
  },
} as const

/** Adds the header to the operation in the OpenAPI document, but not to the schema that requests are validated by. */
function documentIdempotencyKey(route: RouteOptions): void {
  const swaggerTransform = ({ schema, url }: { schema: object; url: string }) => ({
    url,
    schema: { ...schema, headers: HEADERS },
  })
  route.config = { ...route.config, swaggerTransform } as NonNullable<RouteOptions['config']>
}

/** The header as Node names it. */
const HEADER = 'idempotency-key'
const MAX_LENGTH = 255

/**
 * Parses `Idempotency-Key`: 1 to 255 visible ASCII characters, which may be a quoted string of RFC 9651, section 3.3.3
 * (draft-ietf-httpapi-idempotency-key-header-07, section 2.1). Both forms name the same key.
 *
 * @throws ApiError `invalid_parameter` that names the header
 */
export function parseIdempotencyKey(header: string | string[]): string {
  // Node joins repeated headers with ", ", which is not visible.
  const key = typeof header === 'string' ? unquote(header) : undefined
  if (key === undefined || key.length > MAX_LENGTH || !/^[!-~]+$/.test(key)) throw createError()
  return key
}

function unquote(text: string): string | undefined {
  if (!text.startsWith('"')) return text
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]
  return quoted?.replaceAll(/\\(.)/g, '$1')
}

function createError(): ApiError {
  const message = 'Must be 1 to 255 visible ASCII characters, in quotes or without.'
  return new ApiError('invalid_parameter', `The header Idempotency-Key is invalid. ${message}`, {
    errors: fieldError('Idempotency-Key', 'invalid', message),
  })
}

/** A request that has claimed its key. */
interface ClaimedRequest {
  readonly claim: IdempotencyClaim
  /** Stores the response of a success with the key, and frees the key after a failure. Never rejects. */
  finish(status: number, payload: unknown): Promise<void>
}

export interface RunClaimedRequestDeps {
  readonly store: IdempotencyKeyStore
  readonly limit: StoredKeyLimit
  readonly log: Log
}

/** How the response of an operation is stored. */
export interface ResponseFormat {
  /** The status of a success. */
  readonly status: number
  serialize(response: unknown): string
  seal(json: string): Uint8Array
}

const EXTENSION_MS = CLAIM_MS / 3
/** Ten minutes: longer than any request takes. */
const MAX_EXTENSIONS = 60

/** Extends the claim until the request has finished. */
function runClaimedRequest(
  { store, limit, log }: RunClaimedRequestDeps,
  owned: Omit<IdempotencyClaim, 'seal'>,
  { status, seal, serialize }: ResponseFormat,
): ClaimedRequest {
  const warn = (error: unknown) => log.warn({ err: error }, 'an idempotency key was not updated')
  let extensions = 0
  const extending = setInterval(() => {
    extensions += 1
    // A request that never finishes must not hold its key.
    if (extensions === MAX_EXTENSIONS) clearInterval(extending)
    store.extend(owned).catch(warn)
  }, EXTENSION_MS).unref()
  let settledJson: string | undefined
  let bytes = 0
  const sealJson = (json: string): SealedResponse => {
    const sealed = seal(json)
    bytes = sealed.length
    return { status, sealed }
  }
  const claim: IdempotencyClaim = {
    ...owned,
    seal(response) {
      settledJson = typeof response === 'string' ? response : serialize(response)
      return sealJson(settledJson)
    },
  }
  return {
    claim,
    async finish(actualStatus, payload) {
      clearInterval(extending)
      try {
        if (actualStatus !== status) return await store.release(owned)
        // Most operations have stored these bytes with their effect.
        if (payload !== settledJson) await store.storeResponse(owned, sealJson(String(payload)))
        limit.count(owned.userId, bytes)
      } catch (error) {
        // The key is free when the claim ends, unless the request had an effect.
        warn(error)
      }
    },
  }
}
