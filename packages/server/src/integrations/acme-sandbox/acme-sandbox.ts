import { createHmac, hash, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { LocalHost, LocalHosts } from '@linchpin/runner'

/** A provider without a network: for demos, tests and the quickstart. */
export interface AcmeSandbox {
  readonly tokens: SandboxTokens
  /** What the egress gateway answers itself. */
  readonly localHosts: LocalHosts
}

/** Creates the provider. Nodes with the same key accept each other's codes and tokens. */
export function createAcmeSandbox(key: KeyObject, now: () => number): AcmeSandbox {
  const tokens = createSandboxTokens(key, now)
  return { tokens, localHosts: new Map([[SANDBOX_HOST, createSandboxHost(tokens)]]) }
}

/** The public client that every workspace has in the sandbox. */
export const SANDBOX_CLIENT_ID = 'linchpin'

/**
 * The provider "Acme Sandbox", which the egress gateway calls instead of a host: its token and revocation endpoints and its
 * API. The keys `good`, `slow` and `flaky` work, the last one every other time.
 */
function createSandboxHost(tokens: SandboxTokens, { slowMs = 5_000 } = {}): LocalHost {
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

/** Responds to an authenticated request to the API of the sandbox. */
async function answerSandboxApi(request: Request, person: SandboxPerson): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const path = pathname.replace(/^\/api/, '')
  if (path === '/me') return json(200, person)
  if (path === '/echo') return echo(request)
  if (path === '/limited')
    return json(429, { error: 'Too many requests.' }, { 'retry-after': '30' })
  if (path === '/tickets')
    return request.method === 'POST' ? createTicket(request) : listTickets(searchParams)
  const ticket = TICKETS.find(({ id }) => path === `/tickets/${id}`)
  return ticket ? json(200, ticket) : json(404, { error: 'There is no such resource.' })
}

/** A response with a JSON body. */
function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(body, { status, headers })
}

const TICKETS = [
  { id: 'ticket_1', title: 'Printer on fire', status: 'open', createdAt: '2026-01-05T09:00:00Z' },
  { id: 'ticket_2', title: 'Invoice is late', status: 'open', createdAt: '2026-01-06T10:30:00Z' },
  { id: 'ticket_3', title: 'New keyboard', status: 'closed', createdAt: '2026-01-07T14:45:00Z' },
]

/** A page of tickets; `Link` has the next one (RFC 8288). */
function listTickets(query: URLSearchParams): Response {
  const size = Math.max(1, Math.min(Number(query.get('per_page')) || 10, 10))
  const page = Math.max(1, Math.trunc(Number(query.get('page')) || 1))
  const tickets = TICKETS.slice((page - 1) * size, page * size)
  const next = `<https://${SANDBOX_HOST}/api/tickets?per_page=${size}&page=${page + 1}>; rel="next"`
  return json(200, { tickets }, page * size < TICKETS.length ? { link: next } : {})
}

/** The host of the sandbox. `.invalid` is never registered (RFC 2606). */
const SANDBOX_HOST = 'sandbox.linchpin.invalid'
export const SANDBOX_ORIGIN = `https://${SANDBOX_HOST}`

/** Returns the ticket of a request. Nothing is stored. */
async function createTicket(request: Request): Promise<Response> {
  const body: unknown = await request.json().catch(() => undefined)
  const { title } = (body ?? {}) as { title?: unknown }
  if (typeof title !== 'string' || title === '')
    return json(422, { error: 'A ticket needs a title.', field: 'title' })
  return json(201, { id: 'ticket_4', title, status: 'open', createdAt: '2026-01-08T08:15:00Z' })
}

/** What the sandbox received, without its `Authorization` header. */
async function echo(request: Request): Promise<Response> {
  const headers = [...request.headers].filter(([name]) => name !== 'authorization')
  return json(200, {
    method: request.method,
    url: request.url,
    headers: Object.fromEntries(headers),
    body: await request.text(),
  })
}

/** A person who can sign in to the sandbox. */
interface SandboxPerson {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** The people among whom the consent page lets a visitor choose. */
export const SANDBOX_PEOPLE: readonly SandboxPerson[] = [
  { id: 'person_ada', name: 'Ada Example', email: 'ada@acme.example' },
  { id: 'person_grace', name: 'Grace Example', email: 'grace@acme.example' },
]

/** The person to whom the API keys belong. */
const SANDBOX_KEY_OWNER: SandboxPerson = {
  id: 'person_kim',
  name: 'Kim Example',
  email: 'kim@acme.example',
}

/** Finds a person by ID. */
export function findSandboxPerson(id: string): SandboxPerson | undefined {
  return SANDBOX_PEOPLE.find((person) => person.id === id)
}

/** What a token of the sandbox is for: an authorization code, an access token or a refresh token. */
export type SandboxTokenKind = 'code' | 'access' | 'refresh'

/** The contents of a token. */
interface SandboxGrant {
  /** The ID of the person who signed in. */
  readonly person: string
  /** Of a code: the redirect URI and the PKCE challenge that it is bound to. */
  readonly redirectUri?: string | undefined
  readonly codeChallenge?: string | undefined
}

/** Creates and reads the tokens of the sandbox. Nothing is stored, so every node with the same key accepts them. */
export interface SandboxTokens {
  issue(kind: SandboxTokenKind, grant: SandboxGrant): string
  /** The grant of a token; undefined if it is of another kind, has expired, or was not issued with the same key. */
  read(kind: SandboxTokenKind, token: string): SandboxGrant | undefined
}

/** Lifetimes in seconds. */
const SANDBOX_LIFETIMES: Readonly<Record<SandboxTokenKind, number>> = {
  code: 60,
  access: 60,
  refresh: 90 * 24 * 60 * 60,
}

/** Signs tokens with HMAC-SHA-256. */
function createSandboxTokens(key: KeyObject, now: () => number): SandboxTokens {
  const sign = (text: string) => createHmac('sha256', key).update(text).digest()
  return {
    issue(kind, grant) {
      const expiresAt = now() + SANDBOX_LIFETIMES[kind] * 1_000
      const id = randomBytes(9).toString('base64url')
      const payload = Buffer.from(JSON.stringify({ kind, id, expiresAt, ...grant }))
      const text = payload.toString('base64url')
      return `sandbox.${text}.${sign(text).toString('base64url')}`
    },
    read(kind, token) {
      const [prefix, text = '', signature = '', ...others] = token.split('.')
      const given = Buffer.from(signature, 'base64url')
      const expected = sign(text)
      if (prefix !== 'sandbox' || others.length > 0 || given.length !== expected.length) return
      if (!timingSafeEqual(given, expected)) return
      const {
        kind: actual,
        expiresAt,
        ...grant
      } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
      return actual === kind && now() < expiresAt ? grant : undefined
    },
  }
}
