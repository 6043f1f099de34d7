import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { acceptForms, getSearchParams } from '../../platform/http/browser-request.ts'
import { toNetworkAddress } from '../../platform/http/client-address.ts'
import { toApiError } from '../../platform/http/error-handler.ts'
import { compressPages, redirect } from '../../platform/http/send-page.ts'
import { isId } from '../../platform/storage/id.ts'
import type { SharedLinkStore } from '../links/link-store.ts'
import type { ConnectPageDeps } from './connect-page-deps.ts'
import { embedDiagnostics, handlePageError, sendRateLimitPage } from './error-pages.ts'
import { cancelSubmission, getSubmission, sendSignInResultPage } from './get-submission.ts'
import { getConnectPage } from './load/get-connect-page.ts'
import { sendLogo } from './logo.ts'
import { getPagePath } from './page/page-context.ts'
import { disconnectAccount, endClientAccess, submitAgentAccess } from './portal.ts'
import { getStartPage, openConnectSession, openWithForm } from './start/open-connect-session.ts'
import { recordRefusedPage } from './submit/rejected-form.ts'
import { submitAppSetup } from './submit/submit-app-setup.ts'
import { submitConnectForm } from './submit/submit-connect-form.ts'
import { chooseConnection, submitSignInForm } from './submit/submit-sign-in-form.ts'

/** `/link/…` and `/connect/…`: the connect page. Every response is HTML, except those about submissions. */
export function connectPageRoutes(deps: ConnectPageDeps): FastifyPluginAsync {
  return async (app) => {
    await compressPages(app)
    acceptForms(app)
    app.setErrorHandler((error, request, reply) =>
      handlePageError(request, reply, toApiError(error, deps.translateError)),
    )
    const limits = await createRateLimits(app, deps)
    const routes = createPageRouter(app, limits)
    registerPageRoutes(routes, deps)
    registerFormRoutes(routes, deps)
    registerSubmissionRoutes(app, deps, limits.statusPolls)
  }
}

/** A parsed request for a page. */
interface RouteRequest {
  readonly pageId: string
  readonly searchParams: URLSearchParams
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type PageHandler = (routeRequest: RouteRequest) => Promise<FastifyReply>
/** Called before a request beyond the rate limit gets its page. */
type LimitedHandler = (routeRequest: RouteRequest) => Promise<void>

/** Registers page handlers with their rate limits. */
interface PageRouter {
  get(url: string, handler: PageHandler): void
  post(url: string, handler: PageHandler, onLimited?: LimitedHandler): void
}

function createPageRouter(app: FastifyInstance, limits: RateLimits): PageRouter {
  const options = { config: { rawQuery: true }, schema: { hide: true } }
  return {
    get: (url, handler) =>
      void app.get<Params, PageConfig>(url, options, withRateLimit(limits, limits.pages, handler)),
    post: (url, handler, onLimited) =>
      void app.post<Params, PageConfig>(
        url,
        options,
        withRateLimit(limits, limits.forms, handler, onLimited),
      ),
  }
}

/** The wildcard route has no `pageId`. */
type Params = { Params: { pageId?: string } }
type PageConfig = { rawQuery: boolean }

function withRateLimit(
  { linkEnumeration }: RateLimits,
  limit: RateLimit,
  handler: PageHandler,
  onLimited?: LimitedHandler,
) {
  return async (request: FastifyRequest<Params>, reply: FastifyReply): Promise<FastifyReply> => {
    const { pageId = '' } = request.params
    const seconds = (await limit(request)) || (await linkEnumeration.secondsToWait(request, pageId))
    const routeRequest = { pageId, searchParams: getSearchParams(request), request, reply }
    if (seconds > 0) {
      await onLimited?.(routeRequest)
      return sendRateLimitPage(request, reply, seconds)
    }
    await handler(routeRequest)
    if (reply.statusCode === 404) await linkEnumeration.recordMiss(request)
    return reply
  }
}

/** Old embeds produce URLs with duplicate slashes. */
const PAGE_PATHS = ['/link/:pageId', '/link/:pageId/', '//link/:pageId', '/connect/:pageId']
const FRAME_PATHS = [
  '/link/frame/:pageId',
  '/link/frame/:pageId/',
  '//link/frame/:pageId',
  '//link/frame/:pageId/',
  '/connect/frame/:pageId',
]
/** The folders of the pages of links and of connect sessions. */
const FOLDERS = ['/link/', '/connect/'] as const

function registerPageRoutes({ get }: PageRouter, deps: ConnectPageDeps): void {
  for (const [mode, urls] of [
    // Unknown URLs get a page too.
    ['page', [...PAGE_PATHS, '/link/*', '/connect/*']],
    ['frame', FRAME_PATHS],
  ] as const)
    for (const url of urls)
      get(url, ({ pageId, searchParams, request, reply }) => {
        const isSession = url.startsWith('/connect')
        const pageRequest = { mode, pageId, searchParams }
        return isSession && !isId('cns', pageId)
          ? getStartPage(deps, pageRequest, request, reply)
          : getConnectPage(deps, pageRequest, request, reply)
      })
  for (const folder of FOLDERS) {
    get(`${folder}frame/:pageId/why`, ({ pageId, searchParams, request, reply }) =>
      embedDiagnostics(deps, { pageId, searchParams }, request, reply),
    )
    get(`${folder}:pageId/closed`, ({ pageId, searchParams, request, reply }) =>
      sendSignInResultPage(deps, pageId, request, reply, searchParams),
    )
    get(`${folder}:pageId/logo`, ({ pageId, reply }) => sendLogo(deps, pageId, reply))
  }
}

/** A form of the connect page. */
interface Form {
  /** The last part of its path. */
  readonly name: string
  readonly folders: readonly (typeof FOLDERS)[number][]
  readonly modes: readonly ('page' | 'frame')[]
  submit(
    pageRequest: Pick<RouteRequest, 'pageId' | 'searchParams'> & {
      readonly mode: 'page' | 'frame'
    },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply>
  readonly onLimited?: LimitedHandler
}

function createForms(deps: ConnectPageDeps): readonly Form[] {
  const recordLimited =
    (method: 'credentials' | 'sign_in'): LimitedHandler =>
    ({ request, ...form }) =>
      recordRefusedPage(deps, request, { ...form, method }, 'rate_limited')
  /** The button of a form may open its connect session. */
  const openFirst =
    (submit: Form['submit']): Form['submit'] =>
    async (form, request, reply) => {
      const opened = isId('cns', form.pageId)
        ? await openWithForm(deps, form, request, reply)
        : undefined
      return opened ?? submit(form, request, reply)
    }
  const ofSessions = { folders: ['/connect/'], modes: ['page', 'frame'] } as const
  return [
    {
      name: 'connect',
      folders: FOLDERS,
      modes: ['page', 'frame'],
      submit: openFirst(submitConnectForm.bind(undefined, deps)),
      onLimited: recordLimited('credentials'),
    },
    {
      name: 'sign-in',
      folders: FOLDERS,
      modes: ['page'],
      submit: openFirst(submitSignInForm.bind(undefined, deps)),
      onLimited: recordLimited('sign_in'),
    },
    { name: 'open', ...ofSessions, submit: openConnectSession.bind(undefined, deps) },
    { name: 'disconnect', ...ofSessions, submit: disconnectAccount.bind(undefined, deps) },
    { name: 'agents', ...ofSessions, submit: submitAgentAccess.bind(undefined, deps) },
    { name: 'clients', ...ofSessions, submit: endClientAccess.bind(undefined, deps) },
    {
      name: 'app',
      folders: ['/connect/'],
      modes: ['page'],
      submit: submitAppSetup.bind(undefined, deps),
    },
    { name: 'choose', ...ofSessions, submit: chooseConnection.bind(undefined, deps) },
  ]
}

function registerFormRoutes({ get, post }: PageRouter, deps: ConnectPageDeps): void {
  for (const { name, folders, modes, submit, onLimited } of createForms(deps))
    for (const mode of modes)
      for (const folder of FOLDERS) {
        const url = `${folder}${mode === 'frame' ? 'frame/' : ''}:pageId/${name}`
        if (folders.includes(folder))
          post(
            url,
            ({ pageId, searchParams, request, reply }) =>
              submit({ mode, pageId, searchParams }, request, reply),
            onLimited,
          )
        // A form URL was opened with GET: redirect to the page of the form.
        get(url, async ({ pageId, searchParams, reply }) => {
          const query = searchParams.size === 0 ? '' : `?${searchParams}`
          return redirect(reply, `${deps.baseUrl()}${getPagePath(pageId, mode)}${query}`)
        })
      }
}

/** The rate limits of the connect page, per minute. */
interface RateLimits {
  readonly pages: RateLimit
  readonly forms: RateLimit
  readonly statusPolls: RateLimit
  readonly linkEnumeration: LinkEnumerationLimiter
}

/** Requests allowed per minute. */
export const RATES = {
  /** Pages, per IP address and link. */
  pages: 240,
  /** Forms, per IP address and link. */
  forms: 30,
  /** Submission polls, per IP address and link. */
  statusPolls: 600,
  /** Forms, per IPv6 /48 and link. There is no limit per link alone, with which an attacker could lock its customers out. */
  formsPerNetwork: 120,
  /** Pages of nonexistent links, per IP address. */
  unknownLinks: 60,
} as const

/** Counts in the memory of this node. */
async function createRateLimits(
  app: FastifyInstance,
  deps: LinkEnumerationLimiterDeps,
): Promise<RateLimits> {
  await app.register(rateLimit, { global: false })
  const limit = (max: number, getKey: (request: FastifyRequest) => string): RateLimit => {
    const check = app.createRateLimit({ max, timeWindow: 60_000, keyGenerator: getKey })
    return async (request) => {
      const result = await check(request)
      return result.isAllowed || !result.isExceeded ? 0 : Math.max(1, result.ttlInSeconds)
    }
  }
  const forms = limit(RATES.forms, getClientAndLinkKey)
  const formsPerNetwork = limit(
    RATES.formsPerNetwork,
    (request) => `${toNetworkAddress(request.ip, 48)} ${getLinkId(request)}`,
  )
  return {
    pages: limit(RATES.pages, getClientAndLinkKey),
    statusPolls: limit(RATES.statusPolls, getClientAndLinkKey),
    linkEnumeration: createLinkEnumerationLimiter(
      deps,
      limit(RATES.unknownLinks, getClientKey),
      getClientKey,
    ),
    forms: async (request) => (await forms(request)) || formsPerNetwork(request),
  }
}

function getClientAndLinkKey(request: FastifyRequest): string {
  return `${getClientKey(request)} ${getLinkId(request)}`
}

/** Rate-limits IPv6 by /64: one client controls all addresses in it. */
function getClientKey({ ip }: FastifyRequest): string {
  return toNetworkAddress(ip, 64)
}

function getLinkId({ params }: FastifyRequest): string {
  return ((params as { pageId?: string }).pageId ?? '').slice(0, 40)
}

/** Counts a request. Returns the seconds to wait, 0 when it is within the limit. */
type RateLimit = (request: FastifyRequest) => Promise<number>

/** Throttles clients that probe for nonexistent links. Existing links are not throttled, because offices share an IP address. */
interface LinkEnumerationLimiter {
  /** Returns the seconds to wait before this link may be requested, 0 for an existing link. */
  secondsToWait(request: FastifyRequest, linkId: string): Promise<number>
  /** Counts a request for a nonexistent link. */
  recordMiss(request: FastifyRequest): Promise<void>
}

interface LinkEnumerationLimiterDeps {
  readonly sharedLinks: Pick<SharedLinkStore, 'find' | 'findByAlias'>
  /** In milliseconds. */
  readonly now: () => number
}

/** Counts in the memory of this node. `limit` is the number of misses allowed per client key. */
function createLinkEnumerationLimiter(
  { sharedLinks, now }: LinkEnumerationLimiterDeps,
  limit: RateLimit,
  getClientKey: (request: FastifyRequest) => string,
): LinkEnumerationLimiter {
  const blockedUntil = new Map<string, number>()
  return {
    async secondsToWait(request, linkId) {
      const remainingMs = (blockedUntil.get(getClientKey(request)) ?? 0) - now()
      if (remainingMs <= 0) return 0
      // The page of a connect session never tells whether the session exists.
      if (/^cn[st]_/.test(linkId)) return 0
      const found = await (isId('lnk', linkId)
        ? sharedLinks.find(linkId)
        : sharedLinks.findByAlias(linkId))
      const isKnown = found !== undefined
      return isKnown ? 0 : Math.ceil(remainingMs / 1_000)
    },
    async recordMiss(request) {
      const seconds = await limit(request)
      if (seconds === 0) return
      for (const [clientKey, endsAt] of blockedUntil)
        if (endsAt <= now()) blockedUntil.delete(clientKey)
      blockedUntil.set(getClientKey(request), now() + seconds * 1_000)
    },
  }
}

/** `/link/…/attempts/…` and `/connect/…/attempts/…`: the state of a submission, as JSON, and its cancellation. */
function registerSubmissionRoutes(
  app: FastifyInstance,
  deps: ConnectPageDeps,
  limit: RateLimit,
): void {
  for (const [method, handle] of [
    ['GET', getSubmission],
    ['DELETE', cancelSubmission],
  ] as const)
    for (const folder of ['/link/', '/connect/'])
      app.route<{ Params: { pageId: string; attemptId: string } }, { rawQuery: boolean }>({
        method,
        url: `${folder}:pageId/attempts/:attemptId`,
        config: { rawQuery: true },
        schema: { hide: true },
        async handler(request, reply) {
          const seconds = await limit(request)
          if (seconds === 0) return handle(deps, request.params, request, reply)
          reply.code(429).header('retry-after', String(seconds))
          return reply.send({ state: 'unknown', code: 'rate_limited' })
        },
      })
}
