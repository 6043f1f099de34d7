import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isSameOrigin } from '../../platform/http/browser-request.ts'
import { maskSecret, unmaskSecret } from '../../platform/http/mask-secret.ts'
import type { ConsoleSession } from './session.ts'

/** The token of the forms of a session, masked differently in each page: compressed responses must not leak it (BREACH). */
export function createFormToken({ secret }: Pick<ConsoleSession, 'secret'>, path: string): string {
  return maskSecret(deriveFormToken(secret, path))
}

/** Whether a form was submitted from our own origin, in a page of this session, to this path. */
export function isOwnForm(
  request: FastifyRequest,
  form: URLSearchParams,
  { secret }: Pick<ConsoleSession, 'secret'>,
  consoleUrl: string,
): boolean {
  if (!isSameOrigin(request, consoleUrl)) return false
  const sent = unmaskSecret(form.get('form_token') ?? '')
  if (sent === undefined) return false
  const [path = ''] = request.url.split('?')
  return timingSafeEqual(
    Buffer.from(sent, 'base64url'),
    Buffer.from(deriveFormToken(secret, path), 'base64url'),
  )
}

function deriveFormToken(secret: string, path: string): string {
  return createHmac('sha256', secret).update(`form ${path}`).digest('base64url')
}
