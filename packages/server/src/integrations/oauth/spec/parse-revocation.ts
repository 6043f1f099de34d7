import {
  createStandardRevocation,
  findRevocationProblem,
  listRevocationNames,
  MAX_REVOCATION_REQUESTS,
} from '@linchpin/kit/entry'
import type { RevocationSpecification } from '@linchpin/runner'

type Members = Readonly<Record<string, unknown>>

/**
 * The requests that revoke a token of an auth type: those of `x-revocation`, otherwise that of RFC 7009 section 2.1 to
 * `revocation_url`. Skips requests that are not valid, because older stored specs were not validated.
 */
export function parseRevocation(
  auth: Members,
  authMethod: 'body' | 'header',
): readonly RevocationSpecification[] {
  const declared: unknown = auth['x-revocation']
  if (Array.isArray(declared))
    return declared.slice(0, MAX_REVOCATION_REQUESTS).filter(isRevocationRequest)
  const url = typeof auth.revocation_url === 'string' ? auth.revocation_url.trim() : ''
  return url === '' ? [] : [createStandardRevocation(url, authMethod)]
}

function isRevocationRequest(value: unknown): value is RevocationSpecification {
  if (typeof value !== 'object' || value === null) return false
  const { method = 'POST', url, query, headers, form, json, auth_method } = value as Members
  return (
    METHODS.has(method) &&
    typeof url === 'string' &&
    [query, headers, form, json].every(isTextMap) &&
    (auth_method === undefined || auth_method === 'body' || auth_method === 'header') &&
    findRevocationProblem(value as RevocationSpecification) === undefined
  )
}

const METHODS: ReadonlySet<unknown> = new Set(['DELETE', 'GET', 'POST'])

function isTextMap(value: unknown): boolean {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((each) => typeof each === 'string')
}

/** Whether the client secret is sent. */
export function sendsClientSecret(request: RevocationSpecification): boolean {
  return request.auth_method !== undefined || listRevocationNames(request).has('client_secret')
}
