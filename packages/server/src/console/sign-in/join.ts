import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  acceptInvitation,
  findInvitation,
  type InvitationDeps,
  type InvitationRequest,
} from '../../access/members/invitation.ts'
import { readCookie, serializeCookie } from '../../platform/http/browser-request.ts'
import type { Id } from '../../platform/storage/id.ts'

/** An invitation of someone who has to sign in first. */
const JOIN_COOKIE = 'linchpin-console-join'
const SECONDS = 30 * 60

export interface JoinDeps extends InvitationDeps {
  /** The base URL of the console. */
  readonly consoleUrl: () => string
}

/** Accepts the invitation with the next sign-in of the person. */
export function rememberInvitation(
  { consoleUrl }: JoinDeps,
  reply: FastifyReply,
  invitation: string,
): void {
  const options = { seconds: SECONDS, baseUrl: consoleUrl() }
  reply.header('set-cookie', serializeCookie(JOIN_COOKIE, invitation, options))
}

/** Accepts an invitation that waits for this sign-in. Returns the workspace; undefined if none does, or it is for someone else. */
export async function acceptRemembered(
  deps: JoinDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  userId: Id<'usr'>,
): Promise<Id<'wsp'> | undefined> {
  const invitation = readCookie(request, JOIN_COOKIE, deps.consoleUrl())
  if (invitation === undefined || invitation === '') return undefined
  const options = { seconds: 0, baseUrl: deps.consoleUrl() }
  reply.header('set-cookie', serializeCookie(JOIN_COOKIE, '', options))
  const result = await acceptInvitation(deps, invitation, { userId }, describe(request))
  return result.outcome === 'accepted' ? result.workspaceId : undefined
}

/**
 * Accepts an invitation that waits for this sign-in as a person who is new here. Returns the user; undefined if none waits, or it is for
 * another e-mail.
 *
 * @param person whose e-mail an identity provider has verified
 */
export async function acceptAsNewPerson(
  deps: JoinDeps,
  request: FastifyRequest,
  { email, name }: { readonly email: string; readonly name: string },
): Promise<Id<'usr'> | undefined> {
  const text = readCookie(request, JOIN_COOKIE, deps.consoleUrl()) ?? ''
  const invitation = text === '' ? undefined : await findInvitation(deps, text)
  if (invitation?.email.toLowerCase() !== email.toLowerCase()) return undefined
  const result = await acceptInvitation(deps, text, { name }, describe(request))
  return result.outcome === 'accepted' ? result.userId : undefined
}

/** What the audit trail records of the request. */
export function describe({ id, auditIp }: FastifyRequest): InvitationRequest {
  return { requestId: id, ip: auditIp }
}
