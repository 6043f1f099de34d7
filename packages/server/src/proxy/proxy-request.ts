import { carriesSecret, GateError, type GateStream } from '@linchpin/runner'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountStore } from '../account/account-store.ts'
import { type AccountHeaders, accountHeaders } from '../account/renewal/headers/account-headers.ts'
import type { RenewalDeps } from '../account/renewal/renewal-deps.ts'
import { tenantOf } from '../account/tenant-of.ts'
import type { Caller } from '../caller/caller.ts'
import { ApiError, notFound } from '../errors.ts'
import { guardSecret } from '../oauth/token/secret-guard.ts'
import { isId } from '../storage/id.ts'
import { authErrorsOf, isAuthError } from './auth-errors.ts'
import { peekJson } from './peek-json.ts'
import { providerFailure } from './provider-failure.ts'
import { PROXY_LIMITS, type ProxyLimits } from './proxy-limits.ts'
import type { ProxySlots } from './proxy-slots.ts'
import { type ProxyTarget, proxyTarget } from './proxy-target.ts'
import { requestHeaders } from './request-headers.ts'
import { sendAnswer } from './send-answer.ts'
import { refuseLargeBody, type TakenBody, takeBody } from './take-body.ts'

export interface ProxyRequestDeps extends RenewalDeps {
  readonly accounts: AccountStore
  readonly proxySlots: ProxySlots
  /** Only tests of limits set it. */
  readonly proxyLimits?: ProxyLimits | undefined
}

/**
 * Sends a request to the provider as the account, and its answer back as it comes. A 401 of the provider, or an answer
 * that the spec declares to mean the same, is tried once more with renewed tokens, when the body was short enough to be kept.
 *
 * @throws ApiError `body_too_large`, `request_timeout`, `integration_account_not_found`, `overloaded`, `account_pending`,
 * `needs_reauth`, `circuit_open`, `proxy_unavailable`, `proxy_target_not_allowed`, `oauth_app_secret_required`, `integration_…`, `provider_error`, `provider_timeout`; RunnerError
 */
export async function proxyRequest(
  deps: ProxyRequestDeps,
  caller: Caller,
  accountId: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const limits = deps.proxyLimits ?? PROXY_LIMITS
  refuseLargeBody(request.raw, limits.maxBytes)
  const row = isId('acc', accountId) ? await deps.accounts.find(caller, accountId) : undefined
  if (row === undefined) throw notFound('integration_account')
  const giveBack = deps.proxySlots.take(row.workspace_id)
  const gone = new AbortController()
  reply.raw.once('close', () => {
    giveBack()
    gone.abort()
  })
  const held = await accountHeaders(deps, accountId)
  const { config, spec } = held.grant
  const target = proxyTarget({ spec, authType: held.row.auth_type, config }, tailOf(request))
  const taken = await takeBody(request.raw, limits.maxBytes)
  const until = performance.now() + limits.totalMs
  const call: Call = { deps, limits, until, request, target, signal: gone.signal, taken }
  const { answer, isRefused } = await inspected(await send(call, held), held)
  await sendAnswer(reply, isRefused ? await retried(call, held, answer) : answer)
}

/** Whether the provider does not accept the credentials: it answers 401, or what the spec says in `x-auth-errors`. */
async function inspected(
  answer: GateStream,
  { row, grant }: AccountHeaders,
): Promise<{ answer: GateStream; isRefused: boolean }> {
  if (answer.status === 401) return { answer, isRefused: true }
  const rules = authErrorsOf(grant.spec, row.auth_type)
  if (rules.length === 0) return { answer, isRefused: false }
  const peeked = await peekJson(answer)
  return {
    answer: peeked.answer,
    isRefused: peeked.json !== undefined && isAuthError(rules, answer.status, peeked.json),
  }
}

interface Call {
  readonly deps: ProxyRequestDeps
  readonly limits: ProxyLimits
  /** When the time for all tries together is over, on the monotonic clock. */
  readonly until: number
  readonly request: FastifyRequest
  readonly target: ProxyTarget
  readonly signal: AbortSignal
  readonly taken: TakenBody
}

/** Path and query behind `/proxy/`, as they came. */
function tailOf({ originalUrl }: FastifyRequest): string {
  const path = originalUrl.replace(/^https?:\/\/[^/]*/i, '')
  return /^(?:\/[^/]*){5}\/(.*)$/s.exec(path)?.[1] ?? ''
}

async function send(
  { deps, limits, until, request, target, signal, taken }: Call,
  { row, grant, headers }: AccountHeaders,
): Promise<GateStream> {
  if (headers === null)
    throw new ApiError(
      'integration_bad_output',
      'The integration says of no headers that authenticate a request.',
    )
  const secret = guardSecret(grant.client)
  if (secret && carriesSecret({ method: request.method, url: target.url, headers }, secret))
    await secret.requireAllowed(target.url)
  const { body, contentLength } = taken
  try {
    return await deps.gate.stream(
      {
        method: request.method,
        url: target.url,
        headers: requestHeaders(request.raw.rawHeaders, headers),
        body,
        contentLength,
      },
      {
        purpose: 'bundle',
        tenant: tenantOf(row),
        timeoutMs: Math.max(0, until - performance.now()),
        idleMs: limits.idleMs,
        maxResponseBytes: limits.maxBytes,
        hosts: target.hosts,
        signal,
      },
    )
  } catch (error) {
    throw (
      callersFault(error, taken) ?? (error instanceof GateError ? providerFailure(error) : error)
    )
  }
}

/** Whether the body, not the provider, broke the request. */
function callersFault(error: unknown, { body, isStarved }: TakenBody): ApiError | undefined {
  if (body === undefined || body instanceof Uint8Array) return undefined
  if (body.errored instanceof ApiError) return body.errored
  return error instanceof GateError && error.code === 'timeout' && isStarved()
    ? new ApiError('request_timeout', 'The request did not arrive in time.', {
        headers: { connection: 'close' },
        cause: error,
      })
    : undefined
}

/** The answer to a second try, or the first one when there are no newer tokens to try with. */
async function retried(call: Call, held: AccountHeaders, first: GateStream): Promise<GateStream> {
  const { body } = call.taken
  if (body !== undefined && !(body instanceof Uint8Array)) return first
  const refusedVersion = held.row.credential_version
  try {
    const renewed = await accountHeaders(call.deps, held.row.account_id, { refusedVersion })
    if (renewed.row.credential_version === refusedVersion) return first
    letGo(first)
    return await send(call, renewed)
  } catch (error) {
    // Why there are no newer tokens matters only when the person has to act.
    if (error instanceof ApiError && error.code !== 'needs_reauth' && !first.body.destroyed)
      return first
    letGo(first)
    throw error
  }
}

function letGo({ body }: GateStream): void {
  body.on('error', () => {}).destroy()
}
