import { hash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { LocalHost } from '@linchpin/runner'
import { answerSandboxApi, json } from './sandbox-api.ts'
import { findSandboxPerson, SANDBOX_KEY_OWNER, type SandboxPerson } from './sandbox-people.ts'
import { SANDBOX_LIFETIMES, type SandboxGrant, type SandboxTokens } from './sandbox-tokens.ts'

/** The public client that every workspace has in the sandbox. */
export const SANDBOX_CLIENT_ID = 'linchpin'

/**
 * The provider "Acme Sandbox", which the egress gateway calls instead of a host: its token and revocation endpoints and its
 * API. The keys `good`, `slow` and `flaky` work, the last one every other time.
 */
export function createSandboxHost(tokens: SandboxTokens, { slowMs = 5_000 } = {}): LocalHost {
  let flakyCount = 0
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/token') return exchange(tokens, request)
    if (pathname === '/revoke') return new Response(null, { status: 200 })
    if (!pathname.startsWith('/api/')) return json(404, { error: 'There is no such resource.' })
    const [, credential = ''] =
      /^Bearer (.*)$/.exec(request.headers.get('authorization') ?? '') ?? []
    if (credential === 'slow') await wait(slowMs, undefined, { signal: request.signal })
    if (credential === 'flaky' && flakyCount++ % 2 === 0)
      return json(503, { error: 'Try again.' }, { 'retry-after': '1' })
    const person = findOwner(tokens, credential)
    return person
      ? answerSandboxApi(request, person)
      : json(401, { error: 'The key or token is not valid.' }, { 'www-authenticate': 'Bearer' })
  }
}

const KEYS: readonly string[] = ['good', 'slow', 'flaky']

function findOwner(tokens: SandboxTokens, credential: string): SandboxPerson | undefined {
  if (KEYS.includes(credential)) return SANDBOX_KEY_OWNER
  return findSandboxPerson(tokens.read('access', credential)?.person ?? '')
}

/** The token endpoint (RFC 6749 sections 4.1.3 and 6, RFC 7636 section 4.6). */
async function exchange(tokens: SandboxTokens, request: Request): Promise<Response> {
  const params = new URLSearchParams(await request.text())
  const grant = readGrant(tokens, params)
  if (request.method !== 'POST' || params.get('client_id') !== SANDBOX_CLIENT_ID)
    return json(401, { error: 'invalid_client' })
  if (grant === undefined) return json(400, { error: 'invalid_grant' })
  const { person } = grant
  return json(200, {
    access_token: tokens.issue('access', { person }),
    refresh_token: tokens.issue('refresh', { person }),
    token_type: 'Bearer',
    expires_in: SANDBOX_LIFETIMES.access,
    scope: params.get('scope') ?? 'tickets',
  })
}

function readGrant(tokens: SandboxTokens, params: URLSearchParams): SandboxGrant | undefined {
  if (params.get('grant_type') === 'refresh_token')
    return tokens.read('refresh', params.get('refresh_token') ?? '')
  const grant = tokens.read('code', params.get('code') ?? '')
  const challenge = hash('sha256', params.get('code_verifier') ?? '', 'base64url')
  const isBound =
    grant?.redirectUri === params.get('redirect_uri') && grant?.codeChallenge === challenge
  return params.get('grant_type') === 'authorization_code' && isBound ? grant : undefined
}
