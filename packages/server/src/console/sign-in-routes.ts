import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import {
  getForm,
  getSearchParams,
  readCookie,
  serializeCookie,
} from '../platform/http/browser-request.ts'
import { toNetworkAddress } from '../platform/http/client-address.ts'
import type { Id } from '../platform/storage/id.ts'
import { logo } from '../platform/ui/assets.ts'
import { type Html, html } from '../platform/ui/html.ts'
import {
  type ConsoleDeps,
  redirectTo,
  runAction,
  sendBare,
  showScreen,
  THEME_COOKIE,
} from './answer.ts'
import { snippet } from './parts/content.ts'
import type { Answer, Submission, View } from './screen.ts'
import { useCode } from './sign-in/code.ts'
import { isOwnRequest } from './sign-in/form-guard.ts'
import { beginSession, elevateSession, endSession, findSession } from './sign-in/session.ts'
import { en } from './words/en.ts'

export interface SignInDeps extends ConsoleDeps {
  /** The e-mail of a user; undefined if there is none. */
  readonly findEmail: (userId: Id<'usr'>) => Promise<string | undefined>
  /** Whether a user has an e-mail. */
  readonly isKnownEmail: (email: string) => Promise<boolean>
  /** The command that creates a sign-in code, as the operator runs it. */
  readonly codeCommand: string
}

/** Attempts to sign in, per minute and network. There is no limit of all together, with which anyone could lock the team out. */
export const LIMIT = { max: 10, timeWindow: 60_000 }
/** With it, a sign-in does not lead to the welcome. */
const WELCOME_COOKIE = 'linchpin-console-welcome'
const COOKIE_SECONDS = 365 * 24 * 60 * 60
const OPTIONS = { config: { rawQuery: true }, schema: { hide: true } } as const

/** `/console/open` and the end of a session; its workspace and its theme. */
export function signInRoutes(deps: SignInDeps): FastifyPluginAsync {
  return async (app) => {
    const limit = app.createRateLimit({
      ...LIMIT,
      keyGenerator: ({ ip }) => toNetworkAddress(ip, 64),
    })
    app.get('/console/open', OPTIONS, (request, reply) => sendSignIn(deps, request, reply))
    app.post('/console/open', OPTIONS, async (request, reply) => {
      // First: another page must not use up the attempts of its visitor's network.
      if (!isOwnRequest(request, deps.consoleUrl()))
        return sendSignIn(deps, request, reply, { status: 403, error: en.errors.expired })
      const seconds = await countAttempt(limit, request)
      if (seconds > 0)
        return sendSignIn(deps, request, reply, { status: 429, error: en.signIn.limited(seconds) })
      return signInWithCode(deps, request, reply)
    })
    app.get('/console/elevate', OPTIONS, (request, reply) =>
      showScreen(
        deps,
        { path: '/elevate', show: (view) => showElevation(deps, view) },
        request,
        reply,
      ),
    )
    const actions: Readonly<Record<string, Action>> = {
      ...SESSION_ACTIONS,
      elevate: async (_deps, view, reply, request) =>
        elevate(deps, view, await countAttempt(limit, request), reply),
    }
    for (const [name, act] of Object.entries(actions))
      app.post(`/console/${name}`, OPTIONS, (request, reply) =>
        runAction(deps, (view) => act(deps, view, reply, request), request, reply),
      )
  }
}

/** What a form of every screen does. */
type Action = (
  deps: SignInDeps,
  view: Submission,
  reply: FastifyReply,
  request: FastifyRequest,
) => Promise<Answer>

/** What changes a session or what a browser remembers, by path. */
const SESSION_ACTIONS: Readonly<Record<string, Action>> = {
  async 'sign-out'(deps, { session }, reply) {
    await endSession(deps, session, reply)
    return { location: '/console/open?out' }
  },
  async theme(deps, { form }, reply) {
    const theme = form.get('theme') ?? ''
    const value = theme === 'light' || theme === 'dark' ? theme : 'system'
    return remember(deps, reply, THEME_COOKIE, value)
  },
  'welcome/dismiss': async (deps, _view, reply) =>
    remember(deps, reply, WELCOME_COOKIE, 'dismissed'),
  async workspace(deps, { form, session }) {
    const membership = session.memberships.find(
      ({ workspaceId }) => workspaceId === form.get('workspace'),
    )
    if (membership !== undefined)
      await deps.signIns.updateSession(session.sessionId, { workspace_id: membership.workspaceId })
    return { location: '/console' }
  },
}

function remember(deps: SignInDeps, reply: FastifyReply, name: string, value: string): Answer {
  const options = { seconds: COOKIE_SECONDS, baseUrl: deps.consoleUrl() }
  reply.header('set-cookie', serializeCookie(name, value, options))
  return { location: '/console' }
}

type Limit = ReturnType<FastifyInstance['createRateLimit']>

/** Counts an attempt. Returns the seconds to wait; 0 when it is within the limit. */
export async function countAttempt(limit: Limit, request: FastifyRequest): Promise<number> {
  const result = await limit(request)
  return result.isAllowed || !result.isExceeded ? 0 : Math.max(1, result.ttlInSeconds)
}

/** What can wait until a person has proven again who they are. */
async function showElevation(
  { codeCommand }: Pick<SignInDeps, 'codeCommand'>,
  view: View,
  { status, error }: { readonly status?: number; readonly error?: string } = {},
): Promise<Answer> {
  const { words, query } = view
  const to = getTarget(query.get('to'))
  if (view.session.elevatedUntil !== null && status === undefined) return { location: to }
  return {
    title: words.elevation.title,
    section: 'settings',
    status,
    main: html`<div class="narrow"><p>${words.elevation.lead}</p>
<form method="post" action="/console/elevate?to=${encodeURIComponent(to)}" class="stack">${view.formFields('/console/elevate')}
${codeField(error)}<div class="buttons"><button class="button primary">${words.elevation.submit}</button></div></form>
<details class="help" open><summary>${words.signIn.where}</summary><p>${words.elevation.command}</p>${snippet(codeCommand, words)}</details></div>`,
  }
}

async function elevate(
  deps: SignInDeps,
  view: Submission,
  secondsToWait: number,
  reply: FastifyReply,
): Promise<Answer> {
  const { session, form, query, words } = view
  if (secondsToWait > 0)
    return showElevation(deps, view, { status: 429, error: words.signIn.limited(secondsToWait) })
  const userId = await useCode(deps, form.get('code') ?? '')
  if (userId !== session.userId)
    return showElevation(deps, view, { status: 422, error: words.signIn.wrong })
  await elevateSession(deps, session, reply)
  return { location: getTarget(query.get('to')), notice: words.elevation.done }
}

function codeField(error: string | undefined): Html {
  const { signIn } = en
  return html`<label class="field"><span>${signIn.code}</span>
<input name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required maxlength="60" placeholder="00000-00000-00000-00000-00000" class="mono"${error === undefined ? '' : html` aria-invalid="true" aria-describedby="code-error"`}></label>
${error === undefined ? '' : html`<p class="error" id="code-error" role="alert">${error}</p>`}`
}

async function signInWithCode(
  deps: SignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = getForm(request)
  const reject = (error: string, status = 422) =>
    sendSignIn(deps, request, reply, { status, error })
  const userId = await useCode(deps, form.get('code') ?? '')
  const email = userId && (await deps.findEmail(userId))
  if (userId === undefined || email === undefined) return reject(en.signIn.wrong)
  const hasBegun = await beginSession(deps, request, reply, { userId, email, method: 'code' })
  if (!hasBegun) return reject(en.signIn.noWorkspace, 403)
  const isDismissed = readCookie(request, WELCOME_COOKIE, deps.consoleUrl()) !== undefined
  const start = isDismissed ? '/console' : '/console/welcome?first'
  const to = form.get('to')
  return redirectTo(reply, to === null ? start : getTarget(to))
}

/** A page of the console only, so that no address sends people elsewhere after their sign-in. */
function getTarget(to: string | null): string {
  return to !== null &&
    /^\/console(?:\/[\w\-./]*)?(?:\?[\w\-.~%=&+]*)?$/.test(to) &&
    !to.includes('..')
    ? to
    : '/console'
}

async function sendSignIn(
  deps: SignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { status = 200, error }: { readonly status?: number; readonly error?: string } = {},
): Promise<FastifyReply> {
  const query = getSearchParams(request)
  if (status === 200 && (await findSession(deps, request)) !== undefined && !query.has('again'))
    return redirectTo(reply, getTarget(query.get('to')))
  const { signIn } = en
  const to = query.get('to') ?? getForm(request).get('to')
  return sendBare(deps, request, reply, {
    status,
    title: signIn.title,
    main: html`<div class="mark">${logo(40)}</div>
${query.has('out') ? html`<p class="notice">${signIn.signedOut}</p>` : ''}
<form method="post" action="/console/open" class="stack" data-code-form>
${to === null ? '' : html`<input type="hidden" name="to" value="${to}">`}
<p>${signIn.lead}</p>
${codeField(error)}
<button class="button primary">${signIn.submit}</button>
</form>
<details class="help"><summary>${signIn.where}</summary><p>${signIn.whereTerminal}</p><pre class="command"><code>${deps.codeCommand}</code></pre></details>
<p class="quiet"><a href="/docs/quickstart">${en.app.docs}</a> · <a href="/docs">${en.app.apiReference}</a></p>`,
  })
}
