import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  acceptInvitation,
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

/** What the audit trail records of the request. */
export function describe({ id, auditIp }: FastifyRequest): InvitationRequest {
  return { requestId: id, ip: auditIp }
}
