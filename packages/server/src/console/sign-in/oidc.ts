import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import type { EgressGateway } from '@linchpin/runner'
import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  customFetch,
  discoveryRequest,
  getValidatedIdTokenClaims,
  type IDToken,
  type JsonValue,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processUserInfoResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi'
import { hashSecret } from '../../access/auth/access-token.ts'
import type { GivenRole } from '../../access/members/roles.ts'
import { EMAIL } from '../../access/users/user.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { SignInStore } from './sign-in-store.ts'
import { toTypedName } from './typed-name.ts'

/** The settings of single sign-on: LINCHPIN_OIDC_…. */
export interface OidcSettings {
  readonly issuer: URL
  readonly clientId: string
  /** Absent: a public client, which PKCE alone protects. */
  readonly clientSecret?: string | undefined
  /** In this order. Absent: people keep the role that they have. */
  readonly roles?: readonly OidcRole[] | undefined
  /** Whether people sign in with it only. */
  readonly isOnly: boolean
}

/** The role of people whose claim is, or contains, a value. */
export interface OidcRole {
  readonly claim: string
  readonly value: string
  readonly role: GivenRole
}

export interface OidcDeps {
  readonly database: Database
  readonly signIns: SignInStore
  readonly sessionKey: KeyObject
  readonly consoleUrl: () => string
  readonly egressGateway: EgressGateway
  readonly now: () => number
}

/** What an identity provider says of a person. */
export interface OidcPerson {
  /** Verified by the provider. */
  readonly email: string
  /** Empty if the provider has none. */
  readonly name: string
  /** Undefined if the settings give no roles. */
  readonly role: OidcRole['role'] | undefined
}

/** Why the provider signs no one in, in the words of the log. */
export class OidcError extends Error {
  readonly reason: 'unavailable' | 'refused' | 'email' | 'role'

  constructor(reason: OidcError['reason'], message: string) {
    super(message)
    this.name = 'OidcError'
    this.reason = reason
  }
}

/** A sign-in that a browser has begun: it is in the browser's cookie, and its state is a MAC of it. */
export interface OidcFlow {
  /** The session that is to be confirmed; null for a sign-in. */
  readonly sessionId: Id<'ses'> | null
  /** A page of the console; null for the first one. */
  readonly to: string | null
  /** Epoch milliseconds. */
  readonly startedAt: number
}

const LIFETIME_MS = 15 * 60_000
/** How far the clock of the provider may be behind. */
const SKEW_MS = 30_000
const DISCOVERY_MS = 60 * 60_000
const MAX_NAME = 100
const POLICY = {
  purpose: 'sso',
  timeoutMs: 9_000,
  maxResponseBytes: 256 * 1024,
  maxRedirects: 0,
  decompress: true,
} as const

/** Signs people in with an OpenID provider (OpenID Connect Core 1.0, the code flow with PKCE, nonce and RFC 9207). */
export function createOidc(deps: OidcDeps, settings: OidcSettings) {
  const { clientId } = settings
  const client: Client = { client_id: clientId }
  const redirectUri = () => `${deps.consoleUrl()}/console/oidc/callback`
  const options = createRequestOptions(deps, settings)
  const discover = createDiscovery(deps, settings, options)
  return {
    isOnly: settings.isOnly,

    /**
     * Begins a sign-in. Returns where the browser goes, and the cookie that it has to come back with.
     *
     * @throws OidcError `unavailable`
     */
    async begin(
      flow: Pick<OidcFlow, 'sessionId' | 'to'>,
    ): Promise<{ url: string; cookie: string }> {
      const server = await discover()
      const cookie = formatFlow({ ...flow, startedAt: deps.now() })
      const { state, nonce, verifier } = deriveSecrets(deps, cookie)
      const url = new URL(server.authorization_endpoint ?? '')
      const params = {
        client_id: clientId,
        redirect_uri: redirectUri(),
        response_type: 'code',
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        // Not the session at the provider, but the person has to confirm.
        ...(flow.sessionId === null ? {} : { max_age: '0' }),
      }
      for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
      return { url: url.href, cookie }
    },

    /** The sign-in that a response belongs to: the browser began it within the last 15 minutes. It can still be used up. */
    find(cookie: string | undefined, params: URLSearchParams): OidcFlow | undefined {
      const flow = cookie === undefined ? undefined : parseFlow(cookie)
      if (cookie === undefined || flow === undefined) return undefined
      const { state } = deriveSecrets(deps, cookie)
      const isOwn = equals(params.get('state') ?? '', state)
      return isOwn && deps.now() < flow.startedAt + LIFETIME_MS ? flow : undefined
    },

    /**
     * Uses up the response to a sign-in.
     *
     * @throws OidcError
     */
    async finish(cookie: string, flow: OidcFlow, params: URLSearchParams): Promise<OidcPerson> {
      const secrets = deriveSecrets(deps, cookie)
      if (!(await spend(deps, secrets.state, flow)))
        throw new OidcError('refused', 'the response was used before')
      const server = await discover()
      const claims = await run(() => readClaims(server, flow, params, secrets))
      return toPerson(settings, claims)
    },
  }

  async function readClaims(
    server: AuthorizationServer,
    flow: OidcFlow,
    params: URLSearchParams,
    { state, nonce, verifier }: Secrets,
  ): Promise<Claims> {
    const checked = validateAuthResponse(server, client, params, state)
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      createAuthentication(settings, server),
      checked,
      redirectUri(),
      verifier,
      options,
    )
    const isConfirmation = flow.sessionId !== null
    const tokens = await processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
      ...(isConfirmation && { maxAge: LIFETIME_MS / 1_000 }),
    })
    await validateApplicationLevelSignature(server, response, options)
    const idToken = getValidatedIdTokenClaims(tokens)
    if (idToken === undefined) throw new OidcError('refused', 'there is no ID token')
    if (isConfirmation && (idToken.auth_time ?? 0) * 1_000 < flow.startedAt - SKEW_MS)
      throw new OidcError('refused', 'the person did not sign in again')
    if (!needsUserInfo(settings, server, idToken)) return idToken
    const userInfo = await readUserInfo(server, tokens.access_token, idToken.sub)
    const { email, email_verified } = isEmailNamed(idToken) ? idToken : userInfo
    return { ...userInfo, ...idToken, email, email_verified }
  }

  async function readUserInfo(server: AuthorizationServer, accessToken: string, subject: string) {
    const response = await userInfoRequest(server, client, accessToken, options)
    return processUserInfoResponse(server, client, subject, response)
  }
}

export type Oidc = ReturnType<typeof createOidc>

type Claims = Readonly<Record<string, JsonValue | undefined>>

/** Whatever a library or the gateway says against the provider is a refusal. */
async function run<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OidcError) throw error
    throw new OidcError('refused', error instanceof Error ? error.message : 'unknown')
  }
}

/** All requests go through the egress gateway. */
function createRequestOptions(
  { egressGateway }: Pick<OidcDeps, 'egressGateway'>,
  { issuer }: Pick<OidcSettings, 'issuer'>,
) {
  return {
    async [customFetch](
      url: string,
      {
        method,
        headers,
        body,
      }: { method: string; headers: Record<string, string>; body?: unknown },
    ): Promise<Response> {
      const sent = { method, url, headers, body: body == null ? undefined : Buffer.from(`${body}`) }
      const received = await egressGateway.request(sent, POLICY)
      const { status, rawHeaders } = received
      const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, index): [string, string] => [
        rawHeaders[2 * index] ?? '',
        rawHeaders[2 * index + 1] ?? '',
      ])
      const isEmpty = status === 204 || status === 304
      return new Response(isEmpty ? null : new Uint8Array(received.body), {
        status,
        headers: pairs.filter(([name]) => !/^(?:content-encoding|content-length)$/i.test(name)),
      })
    },
    // Settings allow http only on loopback.
    [allowInsecureRequests]: issuer.protocol === 'http:',
  }
}

/** The metadata of the provider, read once an hour. */
function createDiscovery(
  { now }: Pick<OidcDeps, 'now'>,
  { issuer }: Pick<OidcSettings, 'issuer'>,
  options: ReturnType<typeof createRequestOptions>,
): () => Promise<AuthorizationServer> {
  let known: { readonly server: AuthorizationServer; readonly until: number } | undefined
  let pending: Promise<AuthorizationServer> | undefined
  const read = async () => {
    try {
      const response = await discoveryRequest(issuer, { algorithm: 'oidc', ...options })
      const server = await processDiscoveryResponse(issuer, response)
      if (server.authorization_endpoint === undefined || server.token_endpoint === undefined)
        throw new Error('the metadata has no endpoints')
      known = { server, until: now() + DISCOVERY_MS }
      return server
    } catch (error) {
      throw new OidcError('unavailable', error instanceof Error ? error.message : 'unknown')
    } finally {
      pending = undefined
    }
  }
  return async () => {
    if (known !== undefined && known.until > now()) return known.server
    // Anyone can begin a sign-in: while the provider is slow or down, it gets one request of this node at a time.
    pending ??= read()
    return pending
  }
}

function createAuthentication(
  { clientSecret }: Pick<OidcSettings, 'clientSecret'>,
  server: AuthorizationServer,
): ClientAuth {
  if (clientSecret === undefined) return None()
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic')
    ? ClientSecretBasic(clientSecret)
    : ClientSecretPost(clientSecret)
}

/** Some providers put into the ID token only who the person is. */
function needsUserInfo(
  { roles = [] }: Pick<OidcSettings, 'roles'>,
  server: AuthorizationServer,
  idToken: IDToken,
): boolean {
  const needed = ['email', 'email_verified', ...roles.map(({ claim }) => claim)]
  return (
    server.userinfo_endpoint !== undefined && needed.some((claim) => idToken[claim] === undefined)
  )
}

/** Of one response: what another one says of its e-mail verifies nothing. */
function isEmailNamed({ email, email_verified: isVerified }: IDToken): boolean {
  return email !== undefined && isVerified !== undefined
}

/**
 * Whether a user can have this e-mail. Not if it is written otherwise than normalized: in lower case, the sign for kelvin is the
 * letter of another person's address.
 */
function isEmail(text: JsonValue | undefined): text is string {
  return (
    typeof text === 'string' &&
    text.length <= EMAIL.maxLength &&
    new RegExp(EMAIL.pattern).test(text) &&
    !/\p{Cc}/u.test(text) &&
    text === text.normalize('NFC')
  )
}

function toPerson({ roles }: Pick<OidcSettings, 'roles'>, claims: Claims): OidcPerson {
  const { email, email_verified: isVerified } = claims
  const name = typeof claims.name === 'string' ? toTypedName(claims.name, MAX_NAME) : ''
  if (!isEmail(email) || isVerified !== true)
    throw new OidcError('email', 'the provider does not say that the e-mail is verified')
  if (roles === undefined) return { email, name, role: undefined }
  const match = roles.find(({ claim, value }) => [claims[claim]].flat().includes(value))
  if (match === undefined) throw new OidcError('role', 'no claim gives a role')
  return { email, name, role: match.role }
}

/** Whether this response is used for the first time, on all nodes. */
async function spend(
  { database, signIns, now }: Pick<OidcDeps, 'database' | 'signIns' | 'now'>,
  state: string,
  { startedAt }: OidcFlow,
): Promise<boolean> {
  const hash = hashSecret(`console oidc ${state}`)
  const claim = { kind: 'oidc', hash, userId: null, expiresAt: startedAt + LIFETIME_MS } as const
  return database.transaction((trx) => signIns.spendClaim(trx, claim, now()))
}

interface Secrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** They follow from the cookie, so that the beginning of a sign-in stores nothing, and another browser cannot end it. */
function deriveSecrets({ sessionKey }: Pick<OidcDeps, 'sessionKey'>, cookie: string): Secrets {
  const derive = (name: string) =>
    createHmac('sha256', sessionKey).update(`oidc ${name} ${cookie}`).digest('base64url')
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}

function formatFlow(flow: OidcFlow): string {
  const text = JSON.stringify({ ...flow, random: randomBytes(32).toString('base64url') })
  return Buffer.from(text).toString('base64url')
}

/** What its state does not vouch for is not used. */
function parseFlow(cookie: string): OidcFlow | undefined {
  try {
    return JSON.parse(Buffer.from(cookie, 'base64url').toString()) as OidcFlow
  } catch {
    return undefined
  }
}

function equals(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
