import { Readable } from 'node:stream'
import { DEFAULT_PORTS, normalizeHost } from '../address-policy.ts'
import { startDeadline } from '../deadline.ts'
import { EgressError, type EgressPolicy, type EgressStreamRequest } from '../egress.ts'
import { type ExchangeProgress, NO_PROGRESS, type SendDeps, sendToTarget } from '../send-request.ts'
import type { CircuitBreaker, CircuitRequest } from './circuit-breaker.ts'

export interface CircuitContext {
  readonly breaker: CircuitBreaker
  readonly eventLoop: EventLoopMonitor
  readonly now: () => number
}

type CircuitPolicy = Pick<EgressPolicy, 'tenant' | 'purpose' | 'timeoutMs' | 'signal'>

/**
 * Runs the operation of one request under the circuit of its host and workspace. Only the gateway's own timeouts count
 * against the host: never a response, a rejection, a broken connection, or a caller that aborted or did not send its
 * body.
 *
 * @throws CircuitOpenError before anything is sent; otherwise whatever `operation` throws
 */
export async function withCircuit<T>(
  context: CircuitContext,
  request: EgressStreamRequest,
  policy: CircuitPolicy,
  operation: (progress: ExchangeProgress) => Promise<T>,
): Promise<T> {
  const circuitTarget = toCircuitRequest(request.url, policy)
  if (circuitTarget === undefined) return await operation(NO_PROGRESS)
  const permit = context.breaker.acquirePermit(circuitTarget)
  let sentAt: number | undefined
  try {
    const result = await operation({
      requestSent() {
        sentAt = context.now()
      },
      responseStarted: () => permit.responseStarted(),
    })
    permit.succeeded()
    return result
  } catch (error) {
    const phase = isServiceTimeout(error, policy) ? 'response' : getTimeoutPhase(error)
    const countsAgainstHost =
      sentAt !== undefined &&
      !isBodyIncomplete(request) &&
      !context.eventLoop.hasStalledSince(sentAt)
    if (phase === undefined || sentAt === undefined || !countsAgainstHost) permit.inconclusive()
    else permit.timedOut(sentAt, phase)
    throw error
  }
}

/** The phase that timed out; undefined if the failure is not a timeout of the gateway. */
function getTimeoutPhase(error: unknown): 'connection' | 'response' | undefined {
  if (!(error instanceof EgressError)) return undefined
  if (error.code === 'timeout') return 'response'
  return error.code === 'unreachable' && error.systemCode === 'ETIMEDOUT' ? 'connection' : undefined
}

/**
 * The service's own requests, such as those to the registry, have no tenant and no circuit. Webhooks have one per endpoint, in
 * the dispatcher, which counts every failure.
 */
function toCircuitRequest(
  text: string,
  { tenant, purpose, timeoutMs }: CircuitPolicy,
): CircuitRequest | undefined {
  const url = URL.parse(text)
  if (tenant === undefined || purpose === 'webhook') return undefined
  if (!url || !DEFAULT_PORTS.has(url.protocol)) return undefined
  const host = `${normalizeHost(url.hostname)}:${url.port || DEFAULT_PORTS.get(url.protocol)}`
  const isVisitor = tenant.linkId !== undefined
  return {
    origin: url.origin,
    host,
    purpose,
    workspaceId: tenant.workspaceId,
    isVisitor,
    timeoutMs,
  }
}

/** A deadline of the service itself (AbortSignal.timeout). Bundles and their users can abort in other ways only. */
function isServiceTimeout(error: unknown, { signal }: CircuitPolicy): boolean {
  const isAborted = error instanceof EgressError && error.code === 'aborted'
  return isAborted && (signal?.reason as Partial<Error> | undefined)?.name === 'TimeoutError'
}

function isBodyIncomplete({ body }: EgressStreamRequest): boolean {
  return body instanceof Readable && !body.readableEnded
}

/** Detects when the event loop is blocked: responses that arrive meanwhile look like timeouts. */
interface EventLoopMonitor {
  /** Returns true if the event loop was blocked at any time since then. */
  hasStalledSince(time: number): boolean
  stop(): void
}

/** Starts a monitor. `now` returns milliseconds. */
export function monitorEventLoop(now: () => number): EventLoopMonitor {
  let tickAt = now()
  let stalledAt = Number.NEGATIVE_INFINITY
  const measure = (): void => {
    const at = now()
    if (at - tickAt > INTERVAL_MS + STALL_MS) stalledAt = at
    tickAt = at
  }
  const timer = setInterval(measure, INTERVAL_MS).unref()
  return {
    hasStalledSince(time) {
      measure()
      return stalledAt >= time
    },
    stop: () => clearInterval(timer),
  }
}

const INTERVAL_MS = 250
const STALL_MS = 1_000

/**
 * Sends a request to a host on behalf of the node, without credentials, to check whether it responds at all. Any
 * response and any failure other than a timeout counts as alive: a workspace can cause timeouts at a working host by
 * requesting something slow.
 */
export async function probeHost(
  deps: SendDeps,
  { origin, purpose }: Pick<CircuitRequest, 'origin' | 'purpose'>,
): Promise<boolean> {
  const deadline = startDeadline(PROBE_TIMEOUT_MS, undefined)
  const { signal } = deadline
  const url = `${origin}/`
  try {
    const policy = { purpose, decompress: false, signal, maxResponseBytes: 0 }
    const { response } = await sendToTarget(deps, { method: 'HEAD', url }, policy)
    response.body.destroy()
    return true
  } catch (error) {
    return getTimeoutPhase(error) === undefined
  } finally {
    deadline.clear()
  }
}

const PROBE_TIMEOUT_MS = 3_000
