import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import {
  type AuthErrorRule,
  EgressError,
  type EgressStream,
  getHeader,
  type Spec,
} from '@linchpin/runner'
import type { FastifyReply } from 'fastify'
import { type Caller, getTenant } from '../../access/auth/caller.ts'
import type { RequestQueue } from '../../access/auth/request-queue.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { ProxyUse } from '../../activity/audit/proxy-use.ts'
import type { AccountErrors } from '../../activity/requests/account-errors.ts'
import { maskPath } from '../../activity/requests/request-log.ts'
import {
  AUTH_ERROR_LIMITS,
  type CompiledResponseRule,
  compileResponseRule,
  matchesResponseRule,
} from '../../integrations/oauth/spec/parse-oauth-type.ts'
import { listKnownScopes } from '../../integrations/oauth/spec/scopes.ts'
import { ApiError } from '../../platform/errors.ts'
import { markUpstreamResponse } from '../../platform/http/log.ts'
import { once } from '../../platform/once.ts'
import { isId } from '../../platform/storage/id.ts'
import type { Account, AccountId } from '../accounts/account.ts'
import type { AccountUse } from '../accounts/account-use-store.ts'
import type { NeededScopes } from '../accounts/needed-scopes.ts'
import { getAuthHeaders } from '../accounts/token-refresh/auth-headers/get-auth-headers.ts'
import { findAccountToUse } from '../accounts/token-refresh/get-valid-credentials.ts'
import type { AuthHeaders } from '../accounts/token-refresh/grant.ts'
import type { RefreshDeps } from '../accounts/token-refresh/refresh-deps.ts'
import type { FoundAccount } from '../accounts/token-refresh/refresh-store.ts'
import {
  type AgentCallDeps,
  beginAgentCall,
  type OutgoingAgentRequest,
} from '../agents/agent-call.ts'
import type { AgentResponse } from '../agents/agent-response.ts'
import { type ProxyTarget, proxyTarget } from './proxy-target.ts'
import { addRetryAfter } from './rate-limit.ts'
import { findScopeErrors, getScopeRules, type MissingScopes } from './scope-errors.ts'
import {
  type OutgoingRequest,
  PROXY_LIMITS,
  type ProxyCall,
  type ProxyLimits,
  requestHeaders,
  sendToProvider,
  type Throttle,
  toProviderError,
} from './send-to-provider.ts'

export interface ProxyRequestDeps
  extends RefreshDeps,
    Pick<AgentCallDeps, 'agentSessions' | 'agentApprovals' | 'signInRequests' | 'baseUrl'> {
  readonly proxySlots: ProxySlots
  readonly proxyUse: Pick<ProxyUse, 'add'>
  readonly accountUse: Pick<AccountUse, 'add'>
  /** That providers accept credentials. */
  readonly accountSuccess: Pick<AccountUse, 'add'>
  readonly accountErrors: Pick<AccountErrors, 'add'>
  /** Which scopes requests need. */
  readonly neededScopes: Pick<NeededScopes, 'add'>
  /** Charges tenants for the bodies that they send through the proxy. */
  readonly requestQueue: Pick<RequestQueue, 'pace'>
  /** Overridden only by tests of the limits. */
  readonly proxyLimits?: ProxyLimits | undefined
}

/**
 * Sends a request to the provider as the account and streams its response back. On a 401, or a response that matches
 * `x-auth-errors`, refreshes the tokens and retries once, if the body was short enough to be buffered.
 *
 * With the token of an agent session, its rules decide, and it gets to see what `readAgentResponse` leaves of the response.
 *
 * @throws ApiError `body_too_large`, `request_timeout`, `integration_account_not_found`, `overloaded`, `account_pending`,
 * `needs_reauth`, `circuit_open`, `proxy_unavailable`, `proxy_target_not_allowed`, `oauth_app_secret_required`,
 * `integration_…`, `provider_error`, `provider_timeout`, and for an agent those of `sendAgentRequest`
 * @throws RunnerError
 */
export async function proxyRequest(
  deps: ProxyRequestDeps,
  caller: Caller,
  accountId: AccountId,
  outgoing: OutgoingRequest,
  reply: FastifyReply,
): Promise<void> {
  const signal = abortWithoutClient(reply)
  if (caller.kind === 'agent') {
    const request = { outgoing, signal, approval: getPresentedApproval(reply) }
    return sendAgentResponse(reply, await sendAgentRequest(deps, caller, accountId, request))
  }
  const { maxBytes } = deps.proxyLimits ?? PROXY_LIMITS
  outgoing.assertSize(maxBytes)
  const found = await findAccountToUse(deps, caller, accountId)
  const releaseSlot = acquireSlot(deps, caller, found.row)
  if (reply.raw.closed) releaseSlot()
  else reply.raw.once('close', releaseSlot)
  const prepared = await prepareCall(deps, caller, { found, outgoing, maxBytes, signal })
  const { auth, proxyCall } = prepared
  noteUse(deps, caller, found.row, proxyCall)
  const { response, missing } = await exchange(deps, proxyCall, auth)
  sendResponse(reply, addRetryAfter(response, auth.grant.spec, deps.now()), missing)
}

/** A request of an agent, until `signal` aborts. */
export interface AgentRequest {
  readonly outgoing: OutgoingRequest
  readonly signal: AbortSignal
  /** The approval that the agent presents: its ID, or `MATCHING_APPROVAL`. */
  readonly approval: string | undefined
}

/**
 * Sends a request of an agent session, as its rules and its budget allow, and returns what the agent gets to see of the response: the only
 * way in which an agent reaches a provider.
 *
 * @throws ApiError `token_invalid`, `agent_rule_denied`, `approval_required`, `approval_denied`, `approval_limit`,
 * `agent_budget_spent`, `rate_limited`, and those of `proxyRequest`
 * @throws RunnerError
 */
export async function sendAgentRequest(
  deps: ProxyRequestDeps,
  caller: Caller,
  accountId: AccountId,
  { outgoing, signal, approval }: AgentRequest,
): Promise<AgentResponse> {
  const agentCall = await beginAgentCall(deps, caller)
  const { maxBytes } = agentCall
  outgoing.assertSize(maxBytes)
  // An agent that sends its body slowly would keep the slots from others, and is not charged before all of it is known. What the
  // customer decides meanwhile counts, so the account is read afterwards.
  const requestBody = await outgoing.readBody(maxBytes, createPace(deps, caller))
  const read = { ...outgoing, readBody: async () => requestBody }
  const found = await findAccountToUse(deps, caller, accountId)
  const { row } = found
  const releaseSlot = acquireSlot(deps, caller, row)
  try {
    const prepared = await prepareCall(deps, caller, { found, outgoing: read, maxBytes, signal })
    const { auth, proxyCall } = prepared
    await agentCall.authorize({ ...describeAgentRequest(auth, proxyCall), approval })
    noteUse(deps, caller, row, proxyCall)
    return await agentCall.observe(auth, () => exchange(deps, proxyCall, auth))
  } catch (error) {
    throw error instanceof EgressError ? toProviderError(error) : error
  } finally {
    releaseSlot()
  }
}

/** An account in use: its credentials, and requests with them. */
export interface AccountAccess {
  /** What the last request was sent with; before the first one, what it will be sent with. */
  readonly auth: AuthHeaders
  /**
   * Sends a request of Linchpin's own as a proxied one: with fresh tokens if the provider rejects these, and noted as the account's. Its
   * body must be buffered, and that of the response read or destroyed.
   *
   * @throws ApiError as `proxyRequest`
   */
  send(outgoing: OutgoingRequest, limits: ProxyLimits): Promise<Omit<Exchange, 'auth'>>
}

/**
 * Uses an account on behalf of a caller: for several requests to its provider, which take one slot.
 *
 * @throws ApiError `integration_account_not_found`, `overloaded`, and those of `getAuthHeaders`
 */
export async function withAccount<T>(
  deps: ProxyRequestDeps,
  caller: Caller,
  { accountId, signal }: { readonly accountId: AccountId; readonly signal: AbortSignal },
  use: (account: AccountAccess) => Promise<T>,
): Promise<T> {
  const found = await findAccountToUse(deps, caller, accountId)
  const releaseSlot = acquireSlot(deps, caller, found.row)
  try {
    let auth = await getAuthHeaders(deps, accountId, { found })
    return await use({
      get auth() {
        return auth
      },
      async send(outgoing, limits) {
        const call = { auth, outgoing, limits, maxBytes: limits.maxBytes, signal }
        const proxyCall = await buildProxyCall(deps, caller, call)
        noteUse(deps, caller, auth.row, proxyCall)
        const { auth: last, ...received } = await exchange(deps, proxyCall, auth)
        auth = last
        return received
      },
    })
  } catch (error) {
    throw error instanceof EgressError ? toProviderError(error) : error
  } finally {
    releaseSlot()
  }
}

/** Aborts when the client goes away before it has its response. */
export function abortWithoutClient({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const abort = () => {
    if (!raw.writableFinished) controller.abort()
  }
  if (raw.closed) abort()
  else raw.once('close', abort)
  return controller.signal
}

/** Returns the function that releases the slot. @throws ApiError `overloaded` */
function acquireSlot(
  { proxySlots }: Pick<ProxyRequestDeps, 'proxySlots'>,
  caller: Caller,
  { workspaceId }: Pick<Account, 'workspaceId'>,
): () => void {
  caller.addLogFields?.({ workspaceId })
  return proxySlots.acquire(workspaceId)
}

interface CallToPrepare extends Pick<AgentRequest, 'outgoing' | 'signal'> {
  readonly found: FoundAccount
  /** Of the body. */
  readonly maxBytes: number
}

/** All that is sent to the provider, and the headers that it is requested with first. */
interface PreparedCall {
  readonly auth: AuthHeaders
  readonly proxyCall: ProxyCall
}

/** Makes the credentials valid, resolves the target and reads the body. */
async function prepareCall(
  deps: ProxyRequestDeps,
  caller: Caller,
  { found, outgoing, maxBytes, signal }: CallToPrepare,
): Promise<PreparedCall> {
  const limits = deps.proxyLimits ?? PROXY_LIMITS
  const auth = await getAuthHeaders(deps, found.row.accountId, { found })
  const call = { auth, outgoing, limits, maxBytes, signal }
  return { auth, proxyCall: await buildProxyCall(deps, caller, call) }
}

interface CallToBuild extends Omit<CallToPrepare, 'found'> {
  readonly auth: AuthHeaders
  readonly limits: ProxyLimits
}

/** Resolves the target and reads the body. */
async function buildProxyCall(
  deps: ProxyRequestDeps,
  caller: Caller,
  { auth, outgoing, limits, maxBytes, signal }: CallToBuild,
): Promise<ProxyCall> {
  const target = resolveTarget(auth, outgoing.path)
  const pace = createPace(deps, caller)
  const requestBody = await outgoing.readBody(maxBytes, pace)
  return {
    egressGateway: deps.egressGateway,
    limits,
    deadline: performance.now() + limits.totalMs,
    outgoing,
    target,
    signal,
    requestBody,
    pace,
  }
}

/** Where a request of the account goes. @throws ApiError `proxy_unavailable`, `proxy_target_not_allowed` */
export function resolveTarget({ grant, row }: AuthHeaders, path: string): ProxyTarget {
  const { config, spec } = grant
  const { authType, resource } = row
  return proxyTarget({ spec, authType, config, resource }, path)
}

/** Charges the caller's tenant for bodies. */
function createPace({ requestQueue }: ProxyRequestDeps, caller: Caller): Throttle {
  return (bytes) => requestQueue.pace(getTenant(caller), bytes)
}

/** The request as the rules of an agent session see it. */
function describeAgentRequest(
  auth: AuthHeaders,
  { outgoing: { method, rawHeaders }, target: { url, requestTarget }, requestBody }: ProxyCall,
): Omit<OutgoingAgentRequest, 'approval'> {
  const { body } = requestBody
  return {
    auth,
    method,
    url,
    requestTarget,
    received: rawHeaders,
    headers: requestHeaders(rawHeaders, {}),
    // An agent cannot send more than what is buffered.
    body: body instanceof Uint8Array ? body : undefined,
  }
}

/** The approval that is named in the header of a request. */
export function getPresentedApproval({ request }: FastifyReply): string | undefined {
  const { 'linchpin-approval': approval } = request.headers
  return typeof approval === 'string' && isId('aap', approval) ? approval : undefined
}

function noteUse(
  { accountUse, proxyUse }: ProxyRequestDeps,
  { tokenId, userId, personId, ip = null }: Caller,
  {
    workspaceId,
    accountId,
    definitionId,
  }: Pick<Account, 'workspaceId' | 'accountId' | 'definitionId'>,
  { outgoing, target }: ProxyCall,
): void {
  const use = { workspaceId, accountId, userId: personId ?? userId, tokenId, ip }
  accountUse.add(accountId, definitionId)
  proxyUse.add(use, outgoing.method, new URL(target.url).host)
}

/** The response of the provider, and the headers that it was requested with. */
interface Exchange {
  readonly response: EgressStream
  readonly auth: AuthHeaders
  readonly missing: MissingScopes | undefined
}

/** Sends the request, again with newer tokens if the provider rejects these, and notes what the response says of the account. */
async function exchange(
  deps: ProxyRequestDeps,
  proxyCall: ProxyCall,
  auth: AuthHeaders,
): Promise<Exchange> {
  const { accountId, definitionId } = auth.row
  const first = { response: await sendToProvider(proxyCall, auth), auth }
  const peekFirst = once(() => peekJson(first.response))
  const isUnauthorized = await isAuthError(first.response, auth, peekFirst)
  const last = isUnauthorized ? await retryWithFreshTokens(deps, proxyCall, first) : first
  const { response } = last
  const isRejected = isUnauthorized && last === first
  if (!isRejected && provesCredentials(response.status))
    deps.accountSuccess.add(accountId, definitionId)
  // The egress gateway sees other statuses; only the spec knows that this one means the same.
  if (isRejected && response.status !== 401)
    deps.accountErrors.add(accountId, 'provider_unauthorized')
  const peekLast = last === first ? peekFirst : () => peekJson(response)
  const missing = await findMissingScopes(deps, proxyCall, last, peekLast)
  return { ...last, missing }
}

type MissingScopesDeps = Pick<ProxyRequestDeps, 'neededScopes' | 'statistics'>

/** The scopes that a refused request lacks, which are noted; undefined if the provider names none. */
async function findMissingScopes(
  deps: MissingScopesDeps,
  { outgoing, target }: ProxyCall,
  { response, auth }: Pick<Exchange, 'response' | 'auth'>,
  peek: () => Promise<unknown>,
): Promise<MissingScopes | undefined> {
  const rules = getScopeRules(auth.grant.spec, auth.row.authType)
  const missing = await findScopeErrors(response, rules, peek)
  if (missing !== undefined) noteMissingScopes(deps, auth, missing, outgoing.method, target.url)
  return missing
}

/**
 * Notes the scopes that the integration or its OAuth app has. A provider could name any others: these are only counted, except for
 * an MCP server, whose challenges alone say which scopes there are.
 */
function noteMissingScopes(
  { neededScopes, statistics }: MissingScopesDeps,
  { row, grant, headers }: AuthHeaders,
  { scopes, isAny }: MissingScopes,
  method: string,
  url: string,
): void {
  const { accountId, workspaceId, definitionId } = row
  const known = new Set(row.resource === null ? listGrantScopes(grant, row.authType) : scopes)
  const named = scopes.filter((scope) => known.has(scope))
  const isKnown = isAny ? named.length > 0 : named.length === scopes.length
  const code = isKnown ? 'known' : 'unknown'
  statistics?.add({ workspaceId, definitionId, metric: 'missing_scopes', code })
  const path = maskPath(new URL(url).pathname, Object.values(headers ?? {}))
  neededScopes.add(accountId, isAny ? named.slice(0, 1) : named, `${method} ${path}`)
}

/** The scopes that the integration or its OAuth app has; none for an account without an app. */
function listGrantScopes({ spec, type, app }: AuthHeaders['grant'], authType: string): string[] {
  if (type === undefined || app === undefined) return []
  const labels = Object(spec.auth_specification[authType]?.['x-scope-labels'])
  return [...listKnownScopes(type, app), ...Object.keys(labels)]
}

/** A 404, for one, may come before the provider looks at the credentials. */
function provesCredentials(status: number): boolean {
  return (status >= 200 && status < 300) || status === 304
}

/** Whether the provider rejected the credentials: status 401, or a match of the spec's `x-auth-errors`. */
async function isAuthError(
  response: EgressStream,
  { row, grant }: AuthHeaders,
  peek: () => Promise<unknown>,
): Promise<boolean> {
  const { status } = response
  if (status === 401) return true
  const rules = getAuthErrorRules(grant.spec, row.authType)
  const matches = (body: unknown) => rules.some((rule) => matchesResponseRule(rule, status, body))
  if (matches(undefined)) return true
  if (rules.every(({ conditions }) => conditions.length === 0)) return false
  return matches(await peek())
}

/** The response to the retry, or the first one if there are no newer tokens. */
async function retryWithFreshTokens(
  deps: ProxyRequestDeps,
  proxyCall: ProxyCall,
  first: Omit<Exchange, 'missing'>,
): Promise<Omit<Exchange, 'missing'>> {
  const { auth, response } = first
  const { body } = proxyCall.requestBody
  if (body !== undefined && !(body instanceof Uint8Array)) return first
  const rejectedVersion = auth.row.credentialVersion
  try {
    const refreshed = await getAuthHeaders(deps, auth.row.accountId, { rejectedVersion })
    if (refreshed.row.credentialVersion === rejectedVersion) return first
    response.body.destroy()
    return { response: await sendToProvider(proxyCall, refreshed), auth: refreshed }
  } catch (error) {
    // The first response is more useful than a failed refresh, unless the user has to reauthorize.
    if (error instanceof ApiError && error.code !== 'needs_reauth' && !response.body.isBroken)
      return first
    response.body.destroy()
    throw error
  }
}

/**
 * The rules for responses that mean invalid credentials, compiled once: those of the auth type, otherwise those of the spec. Skips
 * invalid rules, because older stored specs were not validated.
 */
function getAuthErrorRules(spec: Spec, authType: string): readonly CompiledResponseRule[] {
  const authTypeRules = Object.hasOwn(spec.auth_specification, authType)
    ? spec.auth_specification[authType]?.['x-auth-errors']
    : undefined
  const rules: unknown = authTypeRules ?? spec['x-auth-errors']
  if (!Array.isArray(rules)) return NO_RULES
  const compiled = compiledRules.get(rules) ?? compileAuthErrorRules(rules)
  compiledRules.set(rules, compiled)
  return compiled
}

const NO_RULES: readonly CompiledResponseRule[] = []
const compiledRules = new WeakMap<object, readonly CompiledResponseRule[]>()

function compileAuthErrorRules(
  rules: readonly (Partial<AuthErrorRule> | null)[],
): CompiledResponseRule[] {
  return rules
    .slice(0, AUTH_ERROR_LIMITS.rules)
    .flatMap((rule) => compileResponseRule(rule) ?? [])
    .filter(({ statuses, conditions }) => conditions.length > 0 || isClientError(statuses))
}

/** Without a condition for the body: any other status would make every such response an invalid credential. */
function isClientError(statuses: CompiledResponseRule['statuses']): boolean {
  return statuses?.every((each) => each >= 400 && each <= 499) ?? false
}

/**
 * Parses a JSON response of at most 16 kB, compressed or not. Undefined for another one, a longer one, and one without a length that
 * does not end in time, because it may be a stream.
 */
async function peekJson({ rawHeaders, body }: EgressStream): Promise<unknown> {
  if (!isJson(getHeader(rawHeaders, 'content-type') ?? '')) return undefined
  const length = getHeader(rawHeaders, 'content-length')
  if (Number(length) > MAX_BYTES) return undefined
  const bytes = await body.peek(MAX_BYTES, length === undefined ? MAX_WAIT_MS : undefined)
  return bytes && parseJson(bytes, getHeader(rawHeaders, 'content-encoding'))
}

const MAX_BYTES = 16_384
const MAX_WAIT_MS = 1_000

function parseJson(bytes: Uint8Array, encoding: string | undefined): unknown {
  try {
    const text = decompress(bytes, encoding?.trim().toLowerCase() ?? 'identity')
    return text === undefined ? undefined : JSON.parse(Buffer.from(text).toString('utf8'))
  } catch {
    return undefined
  }
}

/** @throws Error if the result is too large or the encoding is wrong */
function decompress(bytes: Uint8Array, encoding: string): Uint8Array | undefined {
  const options = { maxOutputLength: MAX_BYTES }
  if (encoding === 'identity' || encoding === '') return bytes
  if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(bytes, options)
  if (encoding === 'deflate') return inflateSync(bytes, options)
  if (encoding === 'br') return brotliDecompressSync(bytes, options)
  if (encoding === 'zstd') return zstdDecompressSync(bytes, options)
  return undefined
}

/** RFC 8259, and the suffix of RFC 6839. */
function isJson(contentType: string): boolean {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === 'application/json' || type === 'text/json' || type.endsWith('+json')
}

/** Maximum number of concurrent proxied requests of one workspace on one node. */
export const MAX_CONCURRENT_REQUESTS = 100

/** Counts the concurrent proxied requests of each workspace on this node. */
export class ProxySlots {
  readonly #limit: number
  readonly #now: () => number
  readonly #workspaces = new Map<string, { count: number; averageMs: number }>()

  /** `limit`: requests per workspace. `now`: a monotonic clock in milliseconds. */
  constructor(limit: number, now: () => number) {
    this.#limit = limit
    this.#now = now
  }

  /**
   * Acquires a slot. Returns the function that releases it.
   *
   * @throws ApiError `overloaded` if the workspace has no free slot
   */
  acquire(workspaceId: WorkspaceId): () => void {
    const usage = this.#workspaces.get(workspaceId) ?? { count: 0, averageMs: 0 }
    if (usage.count >= this.#limit) throw this.#full(usage.averageMs)
    const startedAt = this.#now()
    usage.count += 1
    this.#workspaces.set(workspaceId, usage)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      usage.count -= 1
      usage.averageMs += (this.#now() - startedAt - usage.averageMs) * AVERAGE_WEIGHT
      if (usage.count === 0) this.#workspaces.delete(workspaceId)
    }
  }

  /** The average time until a slot becomes free. */
  #full(averageMs: number): ApiError {
    const seconds = Math.max(1, Math.ceil(averageMs / this.#limit / 1_000))
    return new ApiError(
      'overloaded',
      `This workspace has ${this.#limit} requests to providers in progress. Wait until some have finished.`,
      { headers: { 'retry-after': String(seconds) } },
    )
  }
}

/** Weight of the latest request in the average. */
const AVERAGE_WEIGHT = 0.1

/** Sends what an agent sees of a response. */
function sendAgentResponse(reply: FastifyReply, { status, rawHeaders, body }: AgentResponse): void {
  const headers = [...rawHeaders]
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...LINCHPIN_HEADERS }))
    headers.push(name, String(value))
  reply.hijack()
  markUpstreamResponse(reply.raw)
  reply.raw.writeHead(status, headers)
  reply.raw.end(body)
}

/**
 * Streams a provider's response to the caller, sending the head immediately. Destroys the connection if the provider's
 * breaks, so that an incomplete response never looks complete.
 */
function sendResponse(
  reply: FastifyReply,
  { status, rawHeaders, body }: EgressStream,
  missing?: MissingScopes,
): void {
  const { raw } = reply
  const headers = filterResponseHeaders(rawHeaders, status)
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...LINCHPIN_HEADERS }))
    headers.push(name, String(value))
  if (missing !== undefined) headers.push(MISSING_SCOPES, missing.scopes.join(' '))
  reply.hijack()
  markUpstreamResponse(raw)
  raw.writeHead(status, headers)
  // flushHeaders would encode header bytes as UTF-8 a second time.
  raw.write('', 'latin1')
  const resume = () => body.resume()
  body.deliver({
    data(chunk) {
      if (raw.write(chunk)) return true
      raw.once('drain', resume)
      return false
    },
    end: () => void raw.end(),
    // The egress gateway has logged the error.
    fail: () => void raw.destroy(),
  })
}

/** The scopes that a request lacks, separated by spaces. */
export const MISSING_SCOPES = 'linchpin-missing-scopes'

/**
 * The provider's headers for the caller, as a flat list of names and values. Removes hop-by-hop headers, and headers that
 * would change the state of a browser or the policies of Linchpin's origin.
 *
 * @param rawHeaders flat list of names and values, as received
 */
export function filterResponseHeaders(rawHeaders: readonly string[], status: number): string[] {
  const hopByHop = new Set(listConnectionOptions(rawHeaders))
  const forwarded: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    const key = name.toLowerCase()
    if (STRIPPED_HEADERS.test(key) || hopByHop.has(key) || !isValidHeader(name, value)) continue
    // RFC 9110 section 8.6
    if (key === 'content-length' && status === 204) continue
    forwarded.push(name, value)
  }
  return forwarded
}

/** Added to every response of a provider, so that browsers treat it as untrusted data. */
export const LINCHPIN_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'linchpin-proxy': 'provider',
}

const STRIPPED_HEADERS = new RegExp(
  `^(?:${[
    // RFC 9110 section 7.6.1
    'connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade',
    // Set by Linchpin
    'date|cache-control|expires|pragma|age|x-request-id|linchpin-.*',
    // State and behavior of a browser
    'set-cookie2?|clear-site-data|refresh|service-worker.*|alt-svc|origin-trial|sourcemap|x-sourcemap',
    // Policies of an origin, which would be Linchpin's here
    'strict-transport-security|public-key-pins.*|expect-ct|content-security-policy.*|x-content-type-options',
    'x-frame-options|x-xss-protection|referrer-policy|permissions-policy.*|feature-policy|document-policy.*',
    'access-control-.*|timing-allow-origin|cross-origin-.*|origin-agent-cluster|x-permitted-.*|x-dns-.*',
    'nel|report-to|reporting-endpoints|speculation-rules|supports-loading-mode|accept-ch.*|critical-ch',
  ].join('|')})$`,
)

function listConnectionOptions(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((value, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'connection'
      ? value
          .toLowerCase()
          .split(',')
          .map((option) => option.trim())
      : [],
  )
}

/** Same rules as Node, which would throw while the head is written, too late for an error response. */
function isValidHeader(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}
