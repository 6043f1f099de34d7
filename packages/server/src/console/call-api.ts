import { Linchpin } from '@linchpin/sdk'
import type { FastifyInstance } from 'fastify'
import { formatConsoleAuthorization } from '../access/auth/session-token.ts'
import { ApiError } from '../platform/errors.ts'
import type { Level } from './sign-in/roles.ts'
import { type ConsoleSession, getSessionToken, type SessionDeps } from './sign-in/session.ts'

/** How long a call may take, in milliseconds. */
const DEADLINE_MS = 2_000

export interface CallApiDeps extends SessionDeps {
  /** The app whose routes answer, without a socket. */
  readonly app: () => Pick<FastifyInstance, 'inject'>
  /** Identifies this process to its own authentication. */
  readonly consoleKey: string
}

/** Where a request of the console comes from: the audit trail records it. */
export interface CallOrigin {
  readonly ip: string
  readonly userAgent?: string | undefined
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
    timeoutMs: DEADLINE_MS,
    maxRetries: 0,
    fetch: (input, init = {}) => inject(deps.app(), String(input), init, { authorization, ip }),
  })
}

async function inject(
  app: Pick<FastifyInstance, 'inject'>,
  input: string,
  { method = 'GET', headers, body, signal }: RequestInit,
  { authorization, ip }: { readonly authorization: string; readonly ip: string },
): Promise<Response> {
  const { pathname, search } = new URL(input)
  const response = await app.inject({
    method: method as 'GET' | 'POST' | 'DELETE',
    url: pathname + search,
    headers: { ...(headers as Record<string, string>), authorization },
    remoteAddress: ip,
    ...(typeof body === 'string' && { payload: body }),
    ...(signal != null && { signal }),
  })
  const responseHeaders = new Headers()
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined) responseHeaders.set(name, String(value))
  const isEmpty = response.statusCode === 204 || response.statusCode === 304
  return new Response(isEmpty ? null : new Uint8Array(response.rawPayload), {
    status: response.statusCode,
    headers: responseHeaders,
  })
}
