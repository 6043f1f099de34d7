import { Readable } from 'node:stream'
import { Linchpin } from '@linchpin/sdk'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { formatConsoleAuthorization } from '../access/auth/session-token.ts'
import type { Level } from '../access/members/roles.ts'
import { ApiError } from '../platform/errors.ts'
import { type ConsoleSession, getSessionToken, type SessionDeps } from './sign-in/session.ts'

/** How long a call may take, in milliseconds. */
const DEADLINE_MS = 2_000

export interface CallApiDeps extends SessionDeps {
  /** The app whose routes answer, without a socket. */
  readonly app: () => Pick<FastifyInstance, 'inject'>
  /** Identifies this process to its own authentication. */
  readonly consoleKey: string
  /** Set by tests only, which must pass on a busy machine. */
  readonly consoleCallMs?: number | undefined
}

/** Where a request of the console comes from: the audit trail records it. */
export interface CallOrigin {
  readonly ip: string
}

/**
 * The public API, called in this process as a person: with the scopes, rates and audit trail of an access token of their session.
 *
 * @throws ApiError `token_invalid`: the session or the membership has ended meanwhile
 */
export async function openApi(
  deps: CallApiDeps,
  session: ConsoleSession,
  level: Level,
  { ip }: CallOrigin,
): Promise<Linchpin> {
  const token = await getSessionToken(deps, session, level)
  if (token === undefined) throw new ApiError('token_invalid', 'This session has ended.')
  const authorization = formatConsoleAuthorization(deps.consoleKey, token)
  return new Linchpin({
    baseUrl: 'http://console.invalid',
    token,
    timeoutMs: deps.consoleCallMs ?? DEADLINE_MS,
    maxRetries: 0,
    fetch: async (input, init = {}) =>
      inject(deps.app(), await describeRequest(input, init), { authorization, ip }),
  })
}

interface OutgoingRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer | undefined
  readonly signal?: AbortSignal | undefined
}

/** What the SDK sends: a URL with options or, to a provider, a `Request`. */
async function describeRequest(
  input: string | URL | Request,
  { method = 'GET', headers, body, signal }: RequestInit,
): Promise<OutgoingRequest> {
  if (!(input instanceof Request))
    return {
      url: String(input),
      method,
      headers: headers as Record<string, string>,
      body: typeof body === 'string' ? body : undefined,
      signal: signal ?? undefined,
    }
  return {
    url: input.url,
    method: input.method,
    headers: Object.fromEntries(input.headers),
    body: input.body === null ? undefined : Buffer.from(await input.arrayBuffer()),
    signal: input.signal,
  }
}

async function inject(
  app: Pick<FastifyInstance, 'inject'>,
  { url, method, headers, body, signal }: OutgoingRequest,
  { authorization, ip }: { readonly authorization: string; readonly ip: string },
): Promise<Response> {
  const { pathname, search } = new URL(url)
  const isExport = pathname.endsWith('/export')
  const response = await app.inject({
    method: method as 'GET' | 'POST' | 'DELETE',
    url: pathname + search,
    headers: { ...headers, authorization },
    remoteAddress: ip,
    ...(body !== undefined && { payload: body }),
    ...(signal !== undefined && { signal }),
    payloadAsStream: isExport,
  })
  const responseHeaders = new Headers()
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined) responseHeaders.set(name, String(value))
  const { statusCode: status, statusMessage: statusText } = response
  const init = { status, statusText, headers: responseHeaders }
  return isExport ? passOn(response, init) : createResponse(response.rawPayload, init)
}

/** A response whose body is in memory. Reading it through a stream costs five times as much. */
function createResponse(bytes: Buffer, init: ResponseInit): Response {
  return Object.defineProperties(new Response(null, init), {
    text: { value: async () => bytes.toString() },
    arrayBuffer: { value: async () => new Uint8Array(bytes).buffer },
  })
}

/** A response that may be long: as a whole it would take memory, and nothing else would run until it is. */
function passOn({ raw, stream }: LightMyRequestResponse, init: ResponseInit): Response {
  const content = stream()
  // The operation must not wait for a reader that has left.
  content.once('close', () => raw.res.destroy())
  return new Response(Readable.toWeb(content) as ReadableStream<Uint8Array>, init)
}
