import type { FastifyRequest } from 'fastify'
import { isAccessToken } from '../../access/auth/access-token.ts'
import type { Caller } from '../../access/auth/caller.ts'
import { hashSecret } from '../../access/auth/hash-secret.ts'
import type { ApiError } from '../../platform/errors.ts'
import type { Refusals } from './refusals.ts'

/**
 * Creates an observer of failed requests that counts the refused ones: 403, and 401 with a token that is not valid. A
 * request without a token is nothing to record.
 */
export function createRefusalObserver(
  refusals: Pick<Refusals, 'add'>,
): (request: FastifyRequest, error: ApiError) => void {
  return (request, { statusCode, code }) => {
    const isUnauthenticated = statusCode === 401 && code === 'token_invalid'
    if (statusCode !== 403 && !isUnauthenticated) return
    const { caller } = request as { caller?: Caller }
    if (statusCode === 403 && caller === undefined) return
    const tokenHash = caller === undefined ? hashToken(request) : undefined
    refusals.add({ code, caller, tokenHash, ip: request.auditIp })
  }
}

/** The hash of a token that has the form of one: it may have been valid. */
function hashToken({ headers }: FastifyRequest): string | undefined {
  const token = headers.authorization?.slice(SCHEME_LENGTH).trim() ?? ''
  return isAccessToken(token) ? Buffer.from(hashSecret(token)).toString('base64url') : undefined
}

const SCHEME_LENGTH = 'Bearer '.length
