import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  isLinchpinError,
  type Linchpin,
  type LinchpinError,
  LinchpinTimeoutError,
} from '@linchpin/sdk'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import type { LargeBodies } from '../access/auth/large-bodies.ts'
import type { Level } from '../access/members/roles.ts'
import { ApiError } from '../platform/errors.ts'
import { getSearchParams, readCookie, serializeCookie } from '../platform/http/browser-request.ts'
import { logFailure } from '../platform/http/log.ts'
import { generateNonce } from '../platform/http/send-page.ts'
import { type Html, html } from '../platform/ui/html.ts'
import { type CallApiDeps, openApi } from './call-api.ts'
import type { DefinitionNamesCache } from './definition-names.ts'
import { renderDocument, renderPage, type Theme } from './layout.ts'
import { readForm } from './multipart-form.ts'
import { linkButton } from './parts/content.ts'
import { icon } from './parts/icons.ts'
import { emptyState } from './parts/table.ts'
import {
  type Answer,
  type Download,
  isDownload,
  isFramed,
  isRedirect,
  type Notice,
  type NoticeTone,
  type Page,
  type Screen,
  type Submission,
  type View,
} from './screen.ts'
import { createFormToken, isOwnForm } from './sign-in/form-guard.ts'
import {
  type ConsoleSession,
  findSession,
  isInstanceOwner,
  type SessionDeps,
} from './sign-in/session.ts'
import { en, type Words } from './words/en.ts'

export interface ConsoleDeps extends CallApiDeps {
  readonly largeBodies: Pick<LargeBodies, 'admitBody'>
  /** The public base URL, without a slash at the end. */
  readonly baseUrl: () => string
  readonly translateError: (error: unknown) => ApiError | undefined
  readonly definitionNames: DefinitionNamesCache
}

const NOTICE_COOKIE = 'linchpin-console-notice'
export const THEME_COOKIE = 'linchpin-console-theme'
export const KEYS_COOKIE = 'linchpin-console-keys'

/** Sends a screen, or leads to the sign-in without a session. */
export async function showScreen(
  deps: ConsoleDeps,
  screen: Screen,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await findSession(deps, request)
  if (session === undefined) return sendToSignIn(request, reply)
  const view = await createView(deps, session, request)
  if (!hasIds(view)) return sendPageOf(deps, view, request, reply, notFoundPage(view.words))
  return sendAnswer(deps, view, request, reply, () => screen.show(view))
}

/**
 * Whether all parameters of the path can be IDs: `/connections/` is no connection with an empty ID, dots are no path of the API, and a
 * line break cannot be in the address of a redirect.
 */
function hasIds({ params }: View): boolean {
  return Object.values(params).every((id) => /^[\w-]+$/.test(id))
}

/** More than the largest body of a test request. 8 MiB of plus signs take the parser 0.7 seconds. */
const MAX_FORM_BYTES = 512 * 1024
/** The bundle of an integration can be uploaded as a file. */
const MAX_FILE_FORM_BYTES = 8 * 1024 * 1024

/** The options of the route of a form: only for a session its body is read, and one with a file while few others are. */
export function createActionOptions(
  deps: Pick<ConsoleDeps, 'largeBodies'> & SessionDeps,
  { takesFiles = false }: Pick<Screen, 'takesFiles'> = {},
) {
  return {
    config: { rawQuery: true } as FastifyContextConfig & { readonly rawQuery: true },
    schema: { hide: true },
    bodyLimit: takesFiles ? MAX_FILE_FORM_BYTES : MAX_FORM_BYTES,
    async onRequest(request: FastifyRequest, reply: FastifyReply) {
      const session = await findSession(deps, request)
      if (session === undefined) return sendToSignIn(request, reply)
      if (takesFiles) deps.largeBodies.admitBody(`console ${session.userId}`, request, reply)
    },
  } as const
}

/** Runs a form of a screen. */
export async function runAction(
  deps: ConsoleDeps,
  act: (submission: Submission) => Promise<Answer>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await findSession(deps, request)
  if (session === undefined) return sendToSignIn(request, reply)
  const form = await readForm(request)
  const view = await createView(deps, session, request)
  if (!isOwnForm(request, form, session, deps.consoleUrl()))
    return sendPageOf(deps, view, request, reply, expiredForm(view.words))
  if (!hasIds(view)) return sendPageOf(deps, view, request, reply, notFoundPage(view.words))
  const submission = { ...view, form, formId: form.get('form_id') ?? crypto.randomUUID() }
  return sendAnswer(deps, view, request, reply, async () =>
    showInPlace(await waitForOther(() => act(submission))),
  )
}

/** A form that was submitted twice at the same time: the second gets what the first got, as its Idempotency-Key is the same. */
async function waitForOther(act: () => Promise<Answer>): Promise<Answer> {
  for (const delayMs of [200, 600, 1_500])
    try {
      return await act()
    } catch (error) {
      if (!isLinchpinError(error, 'idempotency_in_progress')) throw error
      await sleep(delayMs)
    }
  return act()
}

/** Turbo shows the page in response to a form only if its status is not 200: after that it expects a redirect. */
function showInPlace(answer: Answer): Answer {
  return 'main' in answer ? { ...answer, status: answer.status ?? 201 } : answer
}

/** The page for what no screen expects. */
export function sendFailure(
  deps: ConsoleDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  error: ApiError,
): FastifyReply {
  logFailure(request, error)
  return sendBare(deps, request, reply, {
    status: error.statusCode,
    title: en.errors.title,
    main: html`<p>${error.message}</p><p class="quiet">${en.app.requestId} <code>${request.id}</code></p>`,
  })
}

/** A page without navigation: for people who are not signed in. */
export function sendBare(
  deps: ConsoleDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, title, main }: { readonly status: number; readonly title: string; readonly main: Html },
): FastifyReply {
  const nonce = generateNonce()
  const body = html`<body class="door"><main id="main"><h1 tabindex="-1">${title}</h1>${main}</main></body>`
  const theme = readTheme(deps, request)
  return sendDocument(reply, status, nonce, renderDocument({ title, nonce, theme, body }))
}

/** To the sign-in, and back to the page afterwards. */
export function sendToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isPage = request.method === 'GET' && request.url !== '/console'
  const query = isPage ? `?to=${encodeURIComponent(request.url)}` : ''
  return redirectTo(reply, `/console/open${query}`)
}

/** After a form, as Turbo and browsers expect. */
export function redirectTo(reply: FastifyReply, location: string): FastifyReply {
  return setHeaders(reply, undefined).code(303).header('location', location).send()
}

async function createView(
  deps: ConsoleDeps,
  session: ConsoleSession,
  request: FastifyRequest,
): Promise<View> {
  const api = await openApi(deps, session, 'normal', request)
  const opened = new Map<Level, Promise<Linchpin>>()
  return {
    session,
    api,
    words: en,
    query: getSearchParams(request),
    params: request.params as Readonly<Record<string, string>>,
    now: deps.now(),
    publicUrl: deps.baseUrl(),
    hasLetterKeys: readCookie(request, KEYS_COOKIE, deps.consoleUrl()) !== 'off',
    definitionNames: () => deps.definitionNames.read(session.membership.workspaceId, api),
    formFields: (path) =>
      html`<input type="hidden" name="form_token" value="${createFormToken(session, path)}"><input type="hidden" name="form_id" value="${crypto.randomUUID()}">`,
    async openApi(level) {
      if (level === 'normal') return api
      if (session.elevatedUntil === null) return undefined
      if (level === 'instance' && !(await isInstanceOwner(deps, session))) return undefined
      const client = opened.get(level) ?? openApi(deps, session, level, request)
      opened.set(level, client)
      return client
    },
  }
}

async function sendAnswer(
  deps: ConsoleDeps,
  view: View,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: () => Promise<Answer>,
): Promise<FastifyReply> {
  const result = await answer().catch((error: unknown) => {
    if (error instanceof LinchpinTimeoutError) throw createBusyError(error)
    if (!isLinchpinError(error)) throw error
    return failedPage(error, view.words)
  })
  if (isRedirect(result)) {
    if (result.notice !== undefined)
      reply.header(
        'set-cookie',
        noticeCookie(deps, result.location, result.notice, result.noticeTone),
      )
    return redirectTo(reply, result.location)
  }
  if (isDownload(result))
    return setHeaders(reply, undefined)
      .header('content-disposition', `attachment; filename="${result.fileName}"`)
      .type(result.contentType)
      .send(toPayload(result.body))
  if (isFramed(result)) {
    const nonce = generateNonce()
    return setHeaders(reply, undefined)
      .header('content-security-policy', FRAME_POLICY.replace('NONCE', nonce))
      .header('x-frame-options', 'SAMEORIGIN')
      .type('text/html; charset=utf-8')
      .send(result.render(nonce))
  }
  return sendPageOf(deps, view, request, reply, result)
}

function toPayload(body: Download['body']): string | Readable {
  return body instanceof ReadableStream ? Readable.fromWeb(body) : (body ?? '')
}

function createBusyError(cause: unknown): ApiError {
  const message = 'The service is busy. Nothing is lost: load the page again.'
  return new ApiError('overloaded', message, { cause })
}

/** Of a frame of the console: no scripts, no forms. */
const FRAME_POLICY = [
  "default-src 'none'",
  "style-src 'self' 'nonce-NONCE'",
  "img-src 'self'",
  "font-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "base-uri 'none'",
].join('; ')

function sendPageOf(
  deps: ConsoleDeps,
  view: View,
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
): FastifyReply {
  const notice = takeNotice(deps, request, reply)
  const nonce = generateNonce()
  const document = renderDocument({
    title: `${page.title} · ${view.words.app.name}`,
    nonce,
    theme: readTheme(deps, request),
    body: renderPage(page, view, notice),
    live: page.isLive ? '/console/live' : undefined,
    hasLetterKeys: view.hasLetterKeys,
    isProgress: page.isProgress,
  })
  return sendDocument(reply, page.status ?? 200, nonce, document)
}

function sendDocument(
  reply: FastifyReply,
  status: number,
  nonce: string,
  document: string,
): FastifyReply {
  return setHeaders(reply, nonce).code(status).type('text/html; charset=utf-8').send(document)
}

/** The policy of all pages of the console. Its only style that is not in a file is that of Turbo's progress bar. */
function setHeaders(reply: FastifyReply, nonce: string | undefined): FastifyReply {
  const policy = [
    "default-src 'none'",
    ...(nonce === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
    `style-src 'self' 'sha256-${PROGRESS_BAR_HASH}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ]
  return reply
    .header('cache-control', 'no-store')
    .header('content-security-policy', policy.join('; '))
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
}

/** Of the style that Turbo 8.0.23 adds; a browser test fails when another version has another one. */
const PROGRESS_BAR_HASH = 'WAyOw4V+FqDc35lQPyRADLBWbuNK8ahvYEaQIYF1+Ps='

function expiredForm(words: Words): Page {
  return {
    title: words.errors.expiredTitle,
    section: 'overview',
    status: 403,
    main: html`<p>${words.errors.expired}</p>`,
  }
}

/** What an address shows that no screen has, such as one that someone typed. */
export const missingScreen: Screen = {
  path: '/*',
  show: async ({ words }) => notFoundPage(words),
}

function notFoundPage(words: Words): Page {
  return {
    title: words.errors.notFoundTitle,
    section: 'overview',
    status: 404,
    main: emptyState({
      icon: 'search',
      text: words.errors.notFound,
      action: linkButton({ text: words.welcome.leave }, '/console'),
    }),
  }
}

/** What the API answered, in words: a screen that has nothing better to say. */
export function failedPage(error: LinchpinError, words: Words): Page {
  const { status, code, message, requestId } = error
  const title =
    status === 404
      ? words.errors.notFoundTitle
      : status === 403
        ? words.errors.forbiddenTitle
        : words.errors.title
  return {
    title,
    section: 'overview',
    status,
    main: html`<div class="empty">${icon(status === 404 ? 'search' : 'alert')}<p>${status === 404 ? words.errors.notFound : message}</p>
<p class="quiet"><a href="/docs/errors#${code}">${code}</a>${requestId === undefined ? '' : html` · ${words.app.requestId} <code>${requestId}</code>`}</p></div>`,
  }
}

/** The notice names its page: another tab that refreshes itself meanwhile would take it. */
function noticeCookie(
  { consoleUrl }: ConsoleDeps,
  location: string,
  notice: string,
  tone: NoticeTone = 'good',
): string {
  const encode = (text: string) => Buffer.from(text).toString('base64url')
  const value = `${tone}.${encode(notice)}.${encode(getPathname(location))}`
  return serializeCookie(NOTICE_COOKIE, value, { seconds: 20, baseUrl: consoleUrl() })
}

function takeNotice(
  { consoleUrl }: ConsoleDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Notice | undefined {
  const value = readCookie(request, NOTICE_COOKIE, consoleUrl())
  if (value === undefined || value === '') return undefined
  const decode = (text: string) => Buffer.from(text, 'base64url').toString('utf8')
  const [tone, text = '', path = ''] = value.split('.')
  if (decode(path) !== getPathname(request.url)) return undefined
  const options = { seconds: 0, baseUrl: consoleUrl() }
  reply.header('set-cookie', serializeCookie(NOTICE_COOKIE, '', options))
  return { text: decode(text).slice(0, 300), tone: tone === 'alert' ? 'alert' : 'good' }
}

function getPathname(location: string): string {
  return new URL(location, 'http://console').pathname
}

function readTheme({ consoleUrl }: ConsoleDeps, request: FastifyRequest): Theme {
  const value = readCookie(request, THEME_COOKIE, consoleUrl())
  return value === 'light' || value === 'dark' ? value : 'system'
}
