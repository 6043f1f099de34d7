import type { FastifyReply, FastifyRequest } from 'fastify'
import { grantRole } from '../access/members/grant-role.ts'
import {
  getSearchParams,
  isFromForeignPage,
  readCookie,
  serializeCookie,
} from '../platform/http/browser-request.ts'
import type { Id } from '../platform/storage/id.ts'
import { redirectTo } from './answer.ts'
import { acceptAsNewPerson, describe } from './sign-in/join.ts'
import { type Oidc, OidcError, type OidcFlow, type OidcPerson } from './sign-in/oidc.ts'
import { elevateSession, findSession } from './sign-in/session.ts'
import { verifyEmail } from './sign-in/verify-email.ts'
import { completeSignIn, getTarget, type SignInDeps, sendSignIn } from './sign-in-pages.ts'
import { en } from './words/en.ts'

const OIDC_COOKIE = 'linchpin-console-oidc'
const COOKIE_SECONDS = 15 * 60
/** It is in the cookie, and browsers drop one of more than 4,096 bytes. */
const MAX_TO = 1_000

/** Leads to the identity provider: to sign in or, with `confirm`, to confirm who the person of the session is. It stores nothing. */
export async function beginOidc(
  deps: SignInDeps,
  oidc: Oidc,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // A provider that knows the person asks nothing, and the session that they have would end: they have to press the button.
  if (isFromForeignPage(request)) return sendSignIn(deps, request, reply)
  const query = getSearchParams(request)
  const session = query.has('confirm') ? await findSession(deps, request) : undefined
  if (query.has('confirm') && session === undefined) return redirectTo(reply, '/console/open')
  try {
    const sessionId = session?.sessionId ?? null
    const to = query.get('to')
    const flow = { sessionId, to: to !== null && to.length <= MAX_TO ? to : null }
    const { url, cookie } = await oidc.begin(flow)
    setCookie(deps, reply, cookie, COOKIE_SECONDS)
    return redirectTo(reply, url)
  } catch (error) {
    return refuse(deps, error, request, reply)
  }
}

interface OidcResponse {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Resolves to the seconds to wait; 0 when it is within the limit. */
  readonly countAttempt: () => Promise<number>
}

/** Ends what `beginOidc` has begun. */
export async function finishOidc(
  deps: SignInDeps,
  oidc: Oidc,
  { request, reply, countAttempt }: OidcResponse,
): Promise<FastifyReply> {
  const params = getSearchParams(request)
  const cookie = readCookie(request, OIDC_COOKIE, deps.consoleUrl()) ?? ''
  const flow = oidc.find(cookie, params)
  // Before the attempt is counted: another page must not use up those of its visitor's network.
  if (flow === undefined)
    return sendSignIn(deps, request, reply, { status: 422, otherError: en.signIn.oidcExpired })
  const seconds = await countAttempt()
  const otherError = en.signIn.limited(seconds)
  if (seconds > 0) return sendSignIn(deps, request, reply, { status: 429, otherError })
  setCookie(deps, reply, '', 0)
  try {
    const person = await oidc.finish(cookie, flow, params)
    const userId = await admit(deps, request, person)
    return flow.sessionId === null
      ? await completeSignIn(deps, request, reply, { userId, method: 'oidc', to: flow.to })
      : await confirm(deps, flow, userId, request, reply)
  } catch (error) {
    return refuse(deps, error, request, reply, flow)
  }
}

/**
 * The user who may sign in. A role of the provider makes the person a member with this role; without one, they have to be a user, or
 * accept an invitation for their e-mail with this sign-in.
 */
async function admit(
  deps: SignInDeps,
  request: FastifyRequest,
  { email, name, role }: OidcPerson,
): Promise<Id<'usr'>> {
  const known = await deps.findUser(email)
  // Before they get the role: until now the user may have been someone else's.
  if (known !== undefined) await verifyEmail(deps, request, known)
  const userId =
    role === undefined
      ? (known ?? (await acceptAsNewPerson(deps, request, { email, name })))
      : await grantRole(deps, { email, name }, role, describe(request))
  if (userId === undefined) throw new OidcError('role', 'no user has this e-mail')
  if (known === undefined) await verifyEmail(deps, request, userId)
  return userId
}

/** The provider must name the person of the session that began it. */
async function confirm(
  deps: SignInDeps,
  flow: OidcFlow,
  userId: Id<'usr'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await findSession(deps, request)
  if (session === undefined || session.sessionId !== flow.sessionId || session.userId !== userId)
    throw new OidcError('refused', 'it was another person, or another session')
  await elevateSession(deps, request, reply, { session, method: 'oidc' })
  return redirectTo(reply, getTarget(flow.to))
}

function refuse(
  deps: SignInDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  flow?: OidcFlow,
): FastifyReply | Promise<FastifyReply> {
  if (!(error instanceof OidcError)) throw error
  deps.log.warn({ reason: error.message }, 'the identity provider signed no one in')
  if (flow !== undefined && flow.sessionId !== null) {
    const to = encodeURIComponent(getTarget(flow.to))
    return redirectTo(reply, `/console/elevate?failed&to=${to}`)
  }
  const { oidcReasons } = en.signIn
  const status = error.reason === 'unavailable' ? 502 : 403
  return sendSignIn(deps, request, reply, { status, otherError: oidcReasons[error.reason] })
}

function setCookie(
  { consoleUrl }: Pick<SignInDeps, 'consoleUrl'>,
  reply: FastifyReply,
  value: string,
  seconds: number,
): void {
  const options = { seconds, baseUrl: consoleUrl() }
  reply.header('set-cookie', serializeCookie(OIDC_COOKIE, value, options))
}
