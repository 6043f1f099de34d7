import { type CircuitContext, withCircuit } from './circuit/with-circuit.ts'
import {
  EgressError,
  type EgressPolicy,
  type EgressRequest,
  type EgressResponse,
  type EgressStream,
  type EgressStreamPolicy,
  type EgressStreamRequest,
} from './egress.ts'
import { getHeader } from './headers.ts'
import { assertContentLength, isBodiless, readBody } from './read-body.ts'
import { type ExchangeProgress, type SendDeps, sendToTarget } from './send-request.ts'

/** Dependencies of one exchange. */
export interface ExchangeContext extends SendDeps {
  readonly circuits: CircuitContext
  readonly policy: EgressPolicy
  readonly signal: AbortSignal
}

/** Sends one request and follows its redirects, each under the circuit of its host. @throws EgressError */
export async function exchange(
  context: ExchangeContext,
  firstRequest: EgressRequest,
): Promise<EgressResponse> {
  const { circuits, policy } = context
  let request = firstRequest
  for (let redirectCount = 0; ; redirectCount += 1) {
    const hop = await withCircuit(circuits, request, policy, (progress) =>
      sendHop(context, request, progress),
    )
    if ('response' in hop) return hop.response
    if (redirectCount >= policy.maxRedirects) {
      throw new EgressError('too_many_redirects', `${hop.host} sent another redirect`)
    }
    request = hop.next
  }
}

type Hop =
  | { readonly response: EgressResponse }
  | { readonly next: EgressRequest; readonly host: string }

async function sendHop(
  context: ExchangeContext,
  request: EgressRequest,
  progress: ExchangeProgress,
): Promise<Hop> {
  const { policy, signal } = context
  const options = { ...policy, signal }
  const { target, response } = await sendToTarget(context, request, options, progress)
  const redirectedRequest =
    policy.maxRedirects > 0 && redirectRequest(request, target.url, response)
  if (redirectedRequest) {
    response.body.destroy()
    return { next: redirectedRequest, host: target.host }
  }
  const body = await readBody(response.body, response.rawHeaders, {
    maxBytes: policy.maxResponseBytes,
    decompress: policy.decompress,
    bodiless: isBodiless(request.method, response.status),
  })
  const { status, statusText, rawHeaders } = response
  return { response: { status, statusText, rawHeaders, body, url: target.url.href } }
}

/**
 * Returns the request that follows a redirect (RFC 9110 section 15.4), or `undefined` if the response is not a
 * redirect. On another origin it carries no credentials. Its URL is not validated yet.
 */
function redirectRequest(
  request: EgressRequest,
  from: URL,
  response: { readonly status: number; readonly rawHeaders: readonly string[] },
): EgressRequest | undefined {
  const location = getHeader(response.rawHeaders, 'location')
  if (location === undefined || !REDIRECTS.includes(response.status)) return undefined
  const to = URL.parse(location, from.href)
  // Not a URL: validating the target reports that.
  if (!to) return { method: request.method, url: location }
  const becomesGet = isChangedToGet(response.status, request.method)
  const headers = Object.entries(request.headers ?? {}).filter(
    ([name]) =>
      !(becomesGet && /^content-/i.test(name)) &&
      !(to.origin !== from.origin && CREDENTIALS.test(name)),
  )
  return {
    method: becomesGet ? 'GET' : request.method,
    url: to.href,
    headers: Object.fromEntries(headers),
    body: becomesGet ? undefined : request.body,
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
/** Authorization, Cookie, Proxy-Authorization, and custom headers of providers: X-Api-Key, Private-Token … */
const CREDENTIALS = /auth|cookie|key|token|secret|session|password|signature/i

function isChangedToGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return (status === 301 || status === 302) && method === 'POST'
}

/** Dependencies of one streamed exchange. */
export interface StreamContext extends SendDeps {
  readonly policy: EgressStreamPolicy
  readonly signal: AbortSignal
  /** Called once, when the body ended or was destroyed; with the failure, if there is one. */
  readonly onEnd: (failure: EgressError | undefined) => void
  readonly progress: ExchangeProgress
}

/**
 * Validates and sends one request, and resolves with the response head and a body that is received as fast as it is
 * read. The deadline applies until the body ends.
 *
 * @throws EgressError; `onEnd` is not called in that case
 */
export async function openStream(
  context: StreamContext,
  request: EgressStreamRequest,
): Promise<EgressStream> {
  const { policy, signal, onEnd, progress } = context
  const options = { ...policy, decompress: false, signal }
  const disposeBody = createBodyDisposer(request)
  try {
    const { target, response } = await sendToTarget(context, request, options, progress)
    const { status, statusText, rawHeaders, body } = response
    const bodiless = isBodiless(request.method, status)
    try {
      assertContentLength(rawHeaders, { maxBytes: policy.maxResponseBytes, bodiless })
    } catch (error) {
      body.destroy()
      throw error
    }
    body.onEnd((failure) => {
      disposeBody()
      onEnd(failure)
    })
    return { status, statusText, rawHeaders, body, url: target.url.href }
  } catch (error) {
    disposeBody()
    throw error
  }
}

/** Destroys a body that is still being read. The failure is reported by the request that it ends. */
function createBodyDisposer({ body }: EgressStreamRequest): () => void {
  if (body === undefined || body instanceof Uint8Array) return () => {}
  body.on('error', () => {})
  return () => void body.destroy()
}
