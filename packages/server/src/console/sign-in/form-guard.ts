import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isOwnHost, isSameOrigin } from '../../platform/http/browser-request.ts'
import { maskSecret, unmaskSecret } from '../../platform/http/mask-secret.ts'
import type { ConsoleSession } from './session.ts'

/** The token of the forms of a session, masked differently in each page: compressed responses must not leak it (BREACH). */
export function createFormToken(session: FormSession, path: string): string {
  return maskSecret(deriveFormToken(session, path))
}

/** What a form belongs to: after a switch of the workspace, a page that is still open must not change the other one. */
type FormSession = Pick<ConsoleSession, 'secret'> & {
  readonly membership: Pick<ConsoleSession['membership'], 'workspaceId'>
}

/** Whether a form was submitted from our own origin, to the host of the console: another name may lead here without being ours. */
export function isOwnRequest(request: FastifyRequest, consoleUrl: string): boolean {
  return isOwnHost(request, consoleUrl) && isSameOrigin(request, consoleUrl)
}

/** Whether a form was submitted from our own origin, in a page of this session, to this path. */
export function isOwnForm(
  request: FastifyRequest,
  form: URLSearchParams,
  session: FormSession,
  consoleUrl: string,
): boolean {
  if (!isOwnRequest(request, consoleUrl)) return false
  const sent = unmaskSecret(form.get('form_token') ?? '')
  if (sent === undefined) return false
  const [path = ''] = request.url.split('?')
  return timingSafeEqual(
    Buffer.from(sent, 'base64url'),
    Buffer.from(deriveFormToken(session, path), 'base64url'),
  )
}

function deriveFormToken({ secret, membership }: FormSession, path: string): string {
  const text = `form ${membership.workspaceId} ${path}`
  return createHmac('sha256', secret).update(text).digest('base64url')
}
