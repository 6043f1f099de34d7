import { type AddressPolicy, resolveTarget } from './address-policy.ts'
import { type CircuitContext, type ExchangeProgress, withCircuit } from './circuit/with-circuit.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { EgressError } from './egress-error.ts'
import type { EgressPolicy, EgressRequest, EgressResponse } from './egress-types.ts'
import { getHeaderValues } from './headers.ts'
import { isBodiless, readBody } from './read-body.ts'
import { sendRequest } from './send-request.ts'

/** Dependencies of one exchange. */
export interface ExchangeContext {
  readonly connectionPool: ConnectionPool
  readonly addressPolicy: AddressPolicy
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
  { connectionPool, addressPolicy, policy, signal }: ExchangeContext,
  request: EgressRequest,
  progress: ExchangeProgress,
): Promise<Hop> {
  const { purpose, hosts, decompress, tenant } = policy
  const target = await resolveTarget(addressPolicy, {
    url: request.url,
    purpose,
    hosts,
    tenant,
    signal,
  })
  progress.requestSent()
  const response = await sendRequest(connectionPool, target, request, {
    purpose,
    decompress,
    tenant,
    signal,
  })
  progress.responseStarted()
  const redirectedRequest =
    policy.maxRedirects > 0 && redirectRequest(request, target.url, response)
  if (redirectedRequest) {
    response.body.on('error', () => {}).destroy()
    return { next: redirectedRequest, host: target.host }
  }
  const body = await readBody(response.body, response.rawHeaders, {
    maxBytes: policy.maxResponseBytes,
    decompress,
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
  const [location] = getHeaderValues(response.rawHeaders, 'location')
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
