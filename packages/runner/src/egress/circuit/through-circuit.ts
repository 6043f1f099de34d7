import { Readable } from 'node:stream'
import { GateError } from '../gate-error.ts'
import type { GatePolicy, GateStreamRequest } from '../gate-types.ts'
import { plainHost } from '../host-list.ts'
import type { CircuitBreaker, CircuitRequest } from './circuit-breaker.ts'
import type { StallWatch } from './stall-watch.ts'

export interface CircuitContext {
  readonly breaker: CircuitBreaker
  readonly stalls: StallWatch
  readonly now: () => number
}

type CircuitPolicy = Pick<GatePolicy, 'tenant' | 'purpose' | 'timeoutMs' | 'signal'>

/** What the work says about its progress. */
export interface Progress {
  /** The address passed judgement, and the request goes out. */
  sent(): void
  /** The head of the answer is there. */
  began(): void
}

/**
 * Does the work of one request under the circuit of its host and workspace. Only the gate's own timeouts count against
 * the host: never an answer, a refusal, a broken connection, or a caller that let go or did not send its body.
 *
 * @throws CircuitOpenError before anything is done; what `work` throws
 */
export async function throughCircuit<T>(
  context: CircuitContext,
  request: GateStreamRequest,
  policy: CircuitPolicy,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const wanted = circuitRequest(request.url, policy)
  if (wanted === undefined) return await work({ sent() {}, began() {} })
  const permit = context.breaker.enter(wanted)
  let sentAt: number | undefined
  try {
    const result = await work({
      sent() {
        sentAt = context.now()
      },
      began: () => permit.began(),
    })
    permit.answered()
    return result
  } catch (error) {
    const missing = isCallersDeadline(error, policy) ? 'answer' : missingOf(error)
    const isFair =
      sentAt !== undefined && !isBodyMissing(request) && !context.stalls.hasStalledSince(sentAt)
    if (missing === undefined || sentAt === undefined || !isFair) permit.endedOtherwise()
    else permit.timedOut(sentAt, missing)
    throw error
  }
}

/** What did not come in time; undefined when the failure is no timeout of ours. */
export function missingOf(error: unknown): 'connection' | 'answer' | undefined {
  if (!(error instanceof GateError)) return undefined
  if (error.code === 'timeout') return 'answer'
  return error.code === 'unreachable' && error.systemCode === 'ETIMEDOUT' ? 'connection' : undefined
}

/** Our own requests, such as those for the registry, have no tenant and no circuit. */
function circuitRequest(
  text: string,
  { tenant, purpose, timeoutMs }: CircuitPolicy,
): CircuitRequest | undefined {
  const url = URL.parse(text)
  if (tenant === undefined || !url || !PORTS.has(url.protocol)) return undefined
  const host = `${plainHost(url.hostname)}:${url.port || PORTS.get(url.protocol)}`
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

const PORTS: ReadonlyMap<string, string> = new Map([
  ['https:', '443'],
  ['http:', '80'],
])

/** A deadline of the service itself (AbortSignal.timeout). Bundles and their users have only other ways to let go. */
function isCallersDeadline(error: unknown, { signal }: CircuitPolicy): boolean {
  const isAborted = error instanceof GateError && error.code === 'aborted'
  return isAborted && (signal?.reason as Partial<Error> | undefined)?.name === 'TimeoutError'
}

function isBodyMissing({ body }: GateStreamRequest): boolean {
  return body instanceof Readable && !body.readableEnded
}
