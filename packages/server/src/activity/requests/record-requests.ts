import {
  EgressError,
  type EgressGateway,
  type EgressPolicy,
  type EgressRequest,
  type EgressStreamRequest,
  type Purpose,
  type Tenant,
} from '@linchpin/runner'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../access/auth/caller.ts'
import type { DirectAnswer } from '../../access/auth/direct-reads.ts'
import {
  getFailure,
  getLogFields,
  getLogOrigin,
  isUpstreamResponse,
} from '../../platform/http/log.ts'
import type { Id } from '../../platform/storage/id.ts'
import { isId } from '../../platform/storage/id.ts'
import type { StatisticsCounter } from '../statistics/statistics.ts'
import { type AccountErrors, type ProviderOutcome, toAccountError } from './account-errors.ts'
import type { Capture, CapturedResponse, DebugRecorder } from './debug-recorder.ts'
import {
  maskPath,
  type PROVIDER_OPERATIONS,
  type RequestEntry,
  type RequestLog,
} from './request-log.ts'

export interface RecordRequestsDeps {
  readonly requestLog: RequestLog
  /** Epoch milliseconds. */
  readonly now: () => number
}

/**
 * Records every request to the routes of this plugin whose token is known. What a person reads in the console is not recorded:
 * looking at the log would fill it.
 */
export function recordApiRequests(
  api: FastifyInstance,
  { requestLog, now }: RecordRequestsDeps,
): void {
  if (requestLog.mode === 'off') return
  api.addHook('onResponse', (request, reply, done) => {
    const caller = request.getDecorator<Caller | null>('caller') ?? undefined
    if (caller?.via !== 'console' || request.method !== 'GET')
      recordRequest(requestLog, now(), { request, reply, caller })
    done()
  })
}

interface ApiExchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Caller | undefined
}

function recordRequest(
  requestLog: RequestLog,
  at: number,
  { request, reply, caller }: ApiExchange,
): void {
  const fields = getLogFields(request)
  const workspaceId = toId('wsp', fields.workspaceId) ?? caller?.boundWorkspaceId ?? null
  const tenant = workspaceId ?? caller?.userId
  if (tenant === undefined) return
  requestLog.add(tenant, { status: reply.statusCode }, () => {
    const { url, schema } = request.routeOptions
    const { operationId = null } = (schema ?? {}) as { readonly operationId?: string }
    return {
      at,
      kind: 'api',
      operation: operationId,
      method: request.method,
      host: null,
      path: url?.replace(/^\/api/, '') ?? maskPath(getPath(request.originalUrl)),
      status: reply.statusCode,
      // A response of a provider is an answer to the provider's row.
      code: isUpstreamResponse(reply.raw) ? null : (getFailure(request)?.code ?? null),
      durationMs: Math.round(reply.elapsedTime),
      requestId: request.id,
      workspaceId,
      accountId: toId('acc', fields.accountId),
      definitionId: null,
      tokenId: caller?.tokenId ?? toId('tok', fields.tokenId),
      userId: caller?.personId ?? caller?.userId ?? null,
      via: caller?.via === 'console' ? 'console' : null,
    }
  })
}

function toId<P extends 'wsp' | 'acc' | 'tok' | 'def'>(
  prefix: P,
  text: string | undefined,
): Id<P> | null {
  return text !== undefined && isId(prefix, text) ? text : null
}

const getPath = (url: string) => url.replace(/^\/api|[?#].*$/gs, '')

/** Creates a function that records what `serveDirectReads` has answered; undefined if nothing would be. */
export function createDirectAnswerRecorder({
  requestLog,
  now,
}: RecordRequestsDeps): ((answer: DirectAnswer) => void) | undefined {
  if (requestLog.mode !== 'all') return undefined
  return (answer) => {
    const { caller, status } = answer
    if (caller.via === 'console') return
    const workspaceId = caller.boundWorkspaceId ?? toId('wsp', answer.workspaceId)
    requestLog.add(workspaceId ?? caller.userId, { status }, () => {
      const { url, operationId, parameter, id, requestId, durationMs } = answer
      return {
        at: now(),
        kind: 'api',
        operation: operationId,
        method: 'GET',
        host: null,
        path: url.slice('/api'.length),
        status,
        code: null,
        durationMs: Math.round(durationMs),
        requestId,
        workspaceId,
        accountId: parameter === 'integrationAccountId' ? (id as Id<'acc'>) : null,
        definitionId: null,
        tokenId: caller.tokenId,
        userId: caller.userId,
        via: null,
      }
    })
  }
}

export interface RecordProviderRequestsDeps extends RecordRequestsDeps {
  readonly statistics: StatisticsCounter
  readonly accountErrors: Pick<AccountErrors, 'add'>
  readonly debugRecorder: Pick<DebugRecorder, 'begin'>
}

/**
 * The same gateway; records the requests to providers, of which it knows the workspace, the errors of accounts, and the exchanges of
 * debug windows, with their entries in the request log.
 */
export function recordProviderRequests(
  gateway: EgressGateway,
  { requestLog, accountErrors, debugRecorder, statistics, now }: RecordProviderRequestsDeps,
): EgressGateway {
  const describeEnd = (
    { operation, request, tenant }: Observed,
    durationMs: number,
    { status, code }: Pick<ProviderOutcome, 'status' | 'code'>,
  ): RequestEntry => ({
    ...describeRequest(request, tenant),
    at: now(),
    operation,
    status,
    code,
    durationMs,
  })
  const noteError = (accountId: Id<'acc'> | null, outcome: ProviderOutcome) => {
    if (accountId === null) return
    const error = toAccountError(outcome)
    if (error !== undefined) accountErrors.add(accountId, error)
  }
  /** `send` sends the request, with a capture if a debug window is open, and says what it has captured, at once or when the body ends. */
  const observe = async <T extends { readonly status: number }>(
    observed: Observed,
    secrets: EgressPolicy['secrets'],
    send: (capture: Capture | undefined) => Promise<T>,
    finish: (response: T, capture: (response: CapturedResponse) => void) => void,
  ): Promise<T> => {
    const { operation, request, tenant } = observed
    const startedAt = performance.now()
    const accountId = toId('acc', tenant.accountId)
    const capture =
      accountId === null
        ? undefined
        : debugRecorder.begin(accountId, { operation, request, secrets })
    const record = (
      outcome: Pick<ProviderOutcome, 'status' | 'code'>,
    ): RequestEntry | undefined => {
      const durationMs = Math.round(performance.now() - startedAt)
      noteError(accountId, { operation, ...outcome })
      if (operation === 'proxy') countCall(statistics, tenant, outcome, durationMs)
      const describe = () => describeEnd(observed, durationMs, outcome)
      if (capture !== undefined) return describe()
      requestLog.add(tenant.workspaceId, outcome, describe)
      return undefined
    }
    try {
      const response = await send(capture)
      const entry = record({ status: response.status, code: null })
      if (entry !== undefined) finish(response, (head) => capture?.finish(entry, head))
      return response
    } catch (error) {
      const code = error instanceof EgressError ? error.code : 'failed'
      const entry = record({ status: null, code })
      if (entry !== undefined) capture?.finish(entry)
      throw error
    }
  }
  return {
    ...gateway,
    request: (request, policy) => {
      const operation = toOperation(policy.purpose)
      const { tenant, secrets, decompress: isDecoded } = policy
      if (operation === undefined || tenant === undefined) return gateway.request(request, policy)
      return observe(
        { operation, request, tenant },
        secrets,
        () => gateway.request(request, policy),
        (response, capture) => capture({ ...response, isDecoded }),
      )
    },
    stream: (request, policy) => {
      const { tenant, secrets } = policy
      // Only the proxy streams requests of integrations.
      if (policy.purpose !== 'bundle' || tenant === undefined)
        return gateway.stream(request, policy)
      return observe(
        { operation: 'proxy', request, tenant },
        secrets,
        (capture) =>
          gateway.stream(
            request,
            capture === undefined ? policy : { ...policy, onChunk: capture.onChunk },
          ),
        ({ status, rawHeaders, body }, capture) =>
          body.onEnd(() => capture({ status, rawHeaders, isDecoded: false })),
      )
    },
  }
}

function countCall(
  statistics: StatisticsCounter,
  tenant: Tenant,
  { status, code }: Pick<ProviderOutcome, 'status' | 'code'>,
  durationMs: number,
): void {
  const workspaceId = tenant.workspaceId as Id<'wsp'>
  const definitionId = tenant.definitionId as Id<'def'> | undefined
  const result = status === null ? code : STATUS_CLASSES[Math.floor(status / 100)]
  const metric = 'proxy_calls'
  statistics.add({ workspaceId, definitionId, metric, code: result, value: durationMs })
}

const STATUS_CLASSES = ['', '1xx', '2xx', '3xx', '4xx', '5xx']

/** A request to a provider. */
interface Observed {
  readonly operation: ProviderOperation
  readonly request: EgressRequest | EgressStreamRequest
  readonly tenant: Tenant
}

type ProviderOperation = (typeof PROVIDER_OPERATIONS)[number]

/** Webhooks have deliveries, and downloads of bundles ask no provider. */
function toOperation(purpose: Purpose): ProviderOperation | undefined {
  if (purpose === 'bundle') return 'integration'
  return purpose === 'oauth' ? 'oauth' : undefined
}

function describeRequest(
  { method, url, headers = {} }: Pick<EgressRequest, 'method' | 'url' | 'headers'>,
  { workspaceId, definitionId, accountId }: Tenant,
) {
  const parsed = URL.parse(url)
  const origin = getLogOrigin()
  return {
    kind: 'provider',
    method,
    host: parsed?.host.slice(0, MAX_HOST_LENGTH) ?? null,
    path: parsed === null ? '' : maskPath(parsed.pathname, listSecrets(headers)),
    requestId: 'reqId' in origin ? origin.reqId : null,
    workspaceId: workspaceId as Id<'wsp'>,
    accountId: toId('acc', accountId),
    definitionId: toId('def', definitionId),
    tokenId: null,
    userId: null,
    via: null,
  } as const
}

/** RFC 1035, section 2.3.4, with a port. */
const MAX_HOST_LENGTH = 261

/** The values of headers that may be credentials. */
function listSecrets(headers: NonNullable<EgressRequest['headers']>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    /^(?:accept|content-|user-agent)/i.test(name) ? [] : value,
  )
}
