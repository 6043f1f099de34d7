import { AsyncLocalStorage } from 'node:async_hooks'
import { hash, randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Interaction, KoaContextWithOIDC } from 'oidc-provider'
import { hashSecret } from '../../../access/auth/access-token.ts'
import { createRateLimiter } from '../../../access/auth/rate-limiter.ts'
import type { WorkspaceStore } from '../../../access/workspaces/workspace-store.ts'
import { isLoopbackHost } from '../../../platform/config/url.ts'
import { ApiError } from '../../../platform/errors.ts'
import { serializeCookie } from '../../../platform/http/browser-request.ts'
import { toNetworkAddress } from '../../../platform/http/client-address.ts'
import type { Log } from '../../../platform/http/log.ts'
import type { JsonObject } from '../../../platform/json.ts'
import { once } from '../../../platform/once.ts'
import { isId, newId } from '../../../platform/storage/id.ts'
import type { AgentSessionId } from '../../agents/agent-session.ts'
import {
  buildSignInUrl,
  expireOldSignInCookies,
  getSignInCookie,
  SIGN_IN_REQUEST,
  type SignInRequest,
} from '../../agents/sign-in-request.ts'
import type { SignInRequestStore } from '../../agents/sign-in-request-store.ts'
import { toAuthorizationRequest } from './authorization-request.ts'
import { toPublicClient } from './client-metadata.ts'
import { ENDPOINTS, parseResource, SCOPES } from './metadata.ts'
import { buildConfiguration, type ProviderConfigurationDeps } from './provider-configuration.ts'
import { createRecordAdapter, type RecordAdapterDeps } from './record-adapter.ts'

export interface AuthorizationServerDeps
  extends Pick<ProviderConfigurationDeps, 'vault' | 'egressGateway'>,
    Pick<RecordAdapterDeps, 'database' | 'oauthRecords' | 'agentSessions' | 'now'> {
  readonly workspaces: Pick<WorkspaceStore, 'findWithSignIn' | 'listWithSignIn'>
  readonly signInRequests: Pick<SignInRequestStore, 'insert'>
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: () => string
  readonly log: Pick<Log, 'error' | 'debug'>
}

/** What a client asks a person for. */
export interface Authorization {
  readonly clientId: string
  readonly clientName: string
  readonly redirectUri: string
  readonly wantsWrite: boolean
}

/** The answer of the person. */
export type Consent =
  | { readonly isGranted: false }
  | {
      readonly isGranted: true
      readonly agentSessionId: AgentSessionId
      readonly canWrite: boolean
    }

/** An error for a person, as OAuth names it. */
export interface AuthorizationError {
  readonly status: number
  readonly code: string
  readonly description: string
}

type Http = { readonly request: FastifyRequest; readonly reply: FastifyReply }

/** What is known of the request that the library answers. */
interface RequestContext {
  readonly request: FastifyRequest
  /** All cookies of the browser, of which the library gets its own. */
  readonly cookie?: string | undefined
  error?: AuthorizationError
}

const SIGN_IN_MS = 10 * 60_000
const COOKIE_SECONDS = 3_600
/** Of a network, in a minute. */
const MAX_AUTHORIZATIONS = 60
/** Of requests for tokens, too: a hosted client refreshes those of all people from few addresses. */
const MAX_OTHERS = 600
const MAX_FETCHES = 20

export type AuthorizationServer = ReturnType<typeof createAuthorizationServer>

/**
 * The authorization server with which people let their own MCP clients use their accounts (OAuth 2.1). Its library is loaded with the
 * first request.
 */
export function createAuthorizationServer(deps: AuthorizationServerDeps) {
  const contexts = new AsyncLocalStorage<RequestContext>()
  const limiter = createRateLimiter(deps.now)
  const admit = (name: string, limit: number) => {
    const ip = contexts.getStore()?.request.ip ?? ''
    limiter.take(`${name} ${toNetworkAddress(ip, 64)}`, limit)
  }
  const getProvider = once(() => loadProvider(deps, contexts, admit))
  const run = <T>(request: FastifyRequest, action: () => Promise<T>): Promise<T> =>
    contexts.run({ request }, action)

  return {
    /**
     * Passes a request to one of the endpoints, whatever its headers say about host and scheme.
     *
     * @returns what to show to a person; undefined if the response was sent
     * @throws ApiError `rate_limited`
     */
    async handle({ request, reply }: Http, path: string): Promise<AuthorizationError | undefined> {
      const context: RequestContext = { request, cookie: request.headers.cookie }
      return contexts.run(context, async () => {
        if (path === ENDPOINTS.authorization) admit('authorize', MAX_AUTHORIZATIONS)
        else admit('token', MAX_OTHERS)
        const { callback } = await getProvider()
        for (const [name, value] of Object.entries(reply.getHeaders()))
          if (value !== undefined) reply.raw.setHeader(name, value)
        await callback(toAuthorizationRequest(request.raw, path, deps.baseUrl()), reply.raw)
        return context.error
      })
    },

    /** Registers a public client (RFC 7591). @returns its metadata, or why it was refused */
    async register(metadata: JsonObject): Promise<JsonObject | AuthorizationError> {
      const { provider, sdk, adapter } = await getProvider()
      const client_id = randomBytes(16).toString('base64url')
      const client_id_issued_at = Math.floor(deps.now() / 1_000)
      try {
        const Client = provider.Client as unknown as ClientClass
        const client = new Client({ ...toPublicClient(metadata), client_id, client_id_issued_at })
        const registered = client.metadata()
        await adapter('Client').upsert(client_id, registered)
        return registered
      } catch (error) {
        if (!(error instanceof sdk.errors.InvalidClientMetadata)) throw error
        const { error: code, error_description: description = '' } = error
        return { status: 400, code, description }
      }
    },

    /** The authorization request of this browser that a sign-in belongs to; undefined in any other, and after its end. */
    findAuthorization: ({ request, reply }: Http, signIn: SignInRequest) =>
      run(request, async (): Promise<Authorization | undefined> => {
        const { provider } = await getProvider()
        const interaction = await findInteraction(provider, { request, reply }, signIn)
        const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction?.params ?? {}
        if (typeof clientId !== 'string' || typeof redirectUri !== 'string') return undefined
        const clientName = signIn.clientName ?? URL.parse(clientId)?.host ?? clientId
        const wantsWrite = String(scope).split(' ').includes('write')
        return { clientId, clientName, redirectUri, wantsWrite }
      }),

    /** Ends a sign-in. @returns the URL at which the browser continues; undefined in any other browser */
    answer: ({ request, reply }: Http, signIn: SignInRequest, consent: Consent) =>
      run(request, async (): Promise<string | undefined> => {
        const { provider } = await getProvider()
        const interaction = await findInteraction(provider, { request, reply }, signIn)
        if (interaction === undefined) return undefined
        const result = consent.isGranted
          ? await grant(provider, interaction, consent)
          : { error: 'access_denied', error_description: 'The person has not allowed it.' }
        const options = { mergeWithLastSubmission: false }
        return provider.interactionResult(request.raw, reply.raw, result, options)
      }),
  }
}

type ClientClass = new (metadata: JsonObject) => { metadata(): JsonObject }
type Loaded = Awaited<ReturnType<typeof loadProvider>>

/** Loads the library and starts it with the configuration of this service. */
async function loadProvider(
  deps: AuthorizationServerDeps,
  contexts: AsyncLocalStorage<RequestContext>,
  admit: (name: string, limit: number) => void,
) {
  const sdk = await import('./oidc-provider.ts')
  const { agentSessions, database, workspaces, log, now } = deps
  const baseUrl = deps.baseUrl()
  const adapter = (kind: string) =>
    createRecordAdapter(
      {
        ...deps,
        buildResumeUrl: (id) => `${baseUrl}${ENDPOINTS.authorization}/${id}`,
        createRefusal: (reason) =>
          kind === 'ReplayDetection'
            ? new sdk.errors.InvalidClientAuth(reason)
            : new sdk.errors.InvalidGrant(reason),
        getRequest: () => {
          const request = contexts.getStore()?.request
          return { requestId: request?.id ?? '', ip: request?.auditIp }
        },
      },
      kind,
    )
  const configuration = buildConfiguration(sdk, {
    ...deps,
    baseUrl,
    adapter,
    findWorkspace: workspaces.findWithSignIn,
    listWorkspaces: () => workspaces.listWithSignIn(2),
    async isLiveSession(id) {
      if (!isId('ags', id)) return false
      const found = await agentSessions.findWithOwner(database.read, id as AgentSessionId)
      return found?.session.revokedAt === null && found.session.expiresAt > now()
    },
    admitFetch: () => isAdmitted(() => admit('fetch', MAX_FETCHES)),
    startSignIn: (ctx, interaction) => {
      const expired = expireOldSignInCookies(contexts.getStore()?.cookie, baseUrl)
      if (expired.length > 0) ctx.append('set-cookie', expired)
      return startSignIn(deps, baseUrl, ctx, interaction)
    },
    renderError(ctx, out) {
      const context = contexts.getStore()
      const { error: code, error_description: description = '' } = out
      if (context !== undefined) context.error = { status: ctx.status, code, description }
      // The page is ours.
      ctx.respond = false
    },
  })
  const provider = new sdk.Provider(baseUrl, configuration)
  provider.proxy = true
  provider.use(sendOwnHeaders(provider.cookieName('session')))
  provider.use(showOwnErrors(contexts))
  provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'a sign-in failed'))
  // Koa writes errors to the console otherwise.
  const application: EventEmitter = provider
  application.on('error', (error) => log.error({ err: error }, 'a sign-in failed'))
  return { sdk, provider, adapter, callback: provider.callback() }
}

function isAdmitted(take: () => void): boolean {
  try {
    take()
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** Without the cookie of a session, which the library needs only within a request. */
function sendOwnHeaders(sessionCookie: string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => {
    await next()
    ctx.set('referrer-policy', 'no-referrer')
    ctx.set('x-content-type-options', 'nosniff')
    const set: string | readonly string[] | undefined = ctx.response.get('set-cookie')
    const own = [set ?? []].flat().filter((line) => line !== '' && !isCookie(line, sessionCookie))
    if (own.length > 0) ctx.set('set-cookie', own)
    else ctx.remove('set-cookie')
  }
}

/**
 * Shows an error to the person that would go to another site before they have signed in: anyone can publish or register a client with any
 * redirect URI, and this service would lead people wherever they like (RFC 9700 section 4.11.2). Programs that listen on the device get theirs.
 */
function showOwnErrors(contexts: AsyncLocalStorage<RequestContext>) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => {
    await next()
    const error = readErrorRedirect(ctx)
    const context = contexts.getStore()
    if (error === undefined || context === undefined) return
    ctx.remove('location')
    context.error = error
    ctx.respond = false
  }
}

/** The error of an authorization request that is redirected to another site. */
function readErrorRedirect(ctx: KoaContextWithOIDC): AuthorizationError | undefined {
  if (ctx.oidc?.route !== 'authorization') return undefined
  const { hash, hostname, protocol, searchParams } = URL.parse(ctx.response.get('location')) ?? {}
  const parameters = hash ? new URLSearchParams(hash.slice(1)) : searchParams
  const code = parameters?.get('error')
  if (code == null || (protocol === 'http:' && isLoopbackHost(hostname ?? ''))) return undefined
  return { status: 400, code, description: parameters?.get('error_description') ?? '' }
}

function isCookie(line: string, name: string): boolean {
  return line.startsWith(`${name}=`) || line.startsWith(`${name}.sig=`)
}

/** Stores the sign-in of an authorization request, bound to this browser, and returns the URL of its page. */
async function startSignIn(
  { database, signInRequests, now }: AuthorizationServerDeps,
  baseUrl: string,
  ctx: KoaContextWithOIDC,
  { uid, params }: Interaction,
): Promise<string> {
  const workspaceId = parseResource(baseUrl, params.resource)
  if (workspaceId === undefined) throw new Error('The resource was not checked.')
  const time = now()
  const secret = randomBytes(32).toString('base64url')
  const request = SIGN_IN_REQUEST.create({
    signInRequestId: newId('sir', time),
    workspaceId,
    agentSessionId: newId('ags', time),
    purpose: 'consent',
    clientName: toStoredName(ctx.oidc.client?.clientName),
    subject: toSubject(uid),
    expectedIdentifier: '',
    browserHash: hashSecret(secret),
    isCustomer: false,
    status: 'created',
    createdAt: time,
    expiresAt: time + SIGN_IN_MS,
  })
  await database.transaction((trx) => signInRequests.insert(trx, request))
  const { signInRequestId } = request
  const options = { seconds: COOKIE_SECONDS, baseUrl }
  ctx.append('set-cookie', serializeCookie(getSignInCookie(signInRequestId), secret, options))
  return buildSignInUrl(baseUrl, signInRequestId)
}

/** A name as PostgreSQL can store it; null without one. */
function toStoredName(name = ''): string | null {
  const text = name.toWellFormed().replaceAll('\0', '').trim()
  return [...text].slice(0, MAX_NAME).join('') || null
}

const MAX_NAME = 100

/** The ID of an authorization request is for its browser only. */
function toSubject(uid: string): string {
  return hash('sha256', uid, 'base64url')
}

async function findInteraction(
  provider: Loaded['provider'],
  { request, reply }: Http,
  { subject }: SignInRequest,
): Promise<Interaction | undefined> {
  try {
    const interaction = await provider.interactionDetails(request.raw, reply.raw)
    return toSubject(interaction.uid) === subject ? interaction : undefined
  } catch (error) {
    // The cookie is missing or of another time.
    if ((error as { error?: unknown }).error === 'invalid_request') return undefined
    throw error
  }
}

async function grant(
  provider: Loaded['provider'],
  { params }: Interaction,
  { agentSessionId: accountId, canWrite }: Extract<Consent, { isGranted: true }>,
) {
  const granted = new provider.Grant({ accountId, clientId: String(params.client_id) })
  granted.addResourceScope(String(params.resource), canWrite ? SCOPES.join(' ') : 'read')
  const grantId = await granted.save()
  return { login: { accountId, remember: false }, consent: { grantId } }
}
