import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { getForm, serializeCookie } from '../platform/http/browser-request.ts'
import { toNetworkAddress } from '../platform/http/client-address.ts'
import { createActionOptions, KEYS_COOKIE, runAction, showScreen, THEME_COOKIE } from './answer.ts'
import type { Answer, Submission, View } from './screen.ts'
import { useCode } from './sign-in/code.ts'
import { isOwnRequest } from './sign-in/form-guard.ts'
import { usePasskey } from './sign-in/passkeys.ts'
import { elevateSession, endSession } from './sign-in/session.ts'
import { verifyEmail } from './sign-in/verify-email.ts'
import { beginOidc, finishOidc } from './sign-in-oidc.ts'
import {
  arePasskeysOn,
  completeSignIn,
  getTarget,
  type SignInDeps,
  sendSignIn,
  showElevation,
  WELCOME_COOKIE,
} from './sign-in-pages.ts'
import { SIGN_IN_SETTINGS_ACTIONS, showSignInSettings } from './sign-in-settings.ts'
import { en } from './words/en.ts'

const COOKIE_SECONDS = 365 * 24 * 60 * 60
const OPTIONS = { config: { rawQuery: true }, schema: { hide: true } } as const

/** `/console/open` and the end of a session; its workspace and its theme. */
export function signInRoutes(deps: SignInDeps): FastifyPluginAsync {
  return async (app) => {
    const countAttempt = createAttemptCounter(app)
    app.get('/console/open', OPTIONS, (request, reply) => sendSignIn(deps, request, reply))
    for (const [path, signIn] of Object.entries(SIGN_INS))
      app.post(path, OPTIONS, async (request, reply) => {
        // First: another page must not use up the attempts of its visitor's network.
        if (!isOwnRequest(request, deps.consoleUrl()))
          return sendSignIn(deps, request, reply, { status: 403, error: en.errors.expired })
        const seconds = await countAttempt(request)
        const error = en.signIn.limited(seconds)
        if (seconds > 0) return sendSignIn(deps, request, reply, { status: 429, error })
        return signIn(deps, request, reply)
      })
    const { oidc } = deps
    if (oidc !== undefined) {
      app.get('/console/oidc', OPTIONS, (request, reply) => beginOidc(deps, oidc, request, reply))
      app.get('/console/oidc/callback', OPTIONS, (request, reply) =>
        finishOidc(deps, oidc, {
          request,
          reply,
          countAttempt: () => countAttempt(request),
        }),
      )
    }
    const show = (path: string, page: (view: View) => Promise<Answer>) =>
      app.get(`/console${path}`, OPTIONS, (request, reply) =>
        showScreen(deps, { path, show: page }, request, reply),
      )
    show('/elevate', (view) => showElevation(deps, view))
    show('/settings/sign-in', (view) => showSignInSettings(deps, view))
    for (const [path, act] of Object.entries(SIGN_IN_SETTINGS_ACTIONS))
      app.post(`/console/settings/sign-in${path}`, createActionOptions(deps), (request, reply) =>
        runAction(deps, (view) => act(deps, view, request), request, reply),
      )
    const actions: Readonly<Record<string, Action>> = {
      ...SESSION_ACTIONS,
      async elevate(_deps, view, reply, request) {
        const seconds = await countAttempt(request)
        return seconds > 0
          ? showElevation(deps, view, { status: 429, error: view.words.signIn.limited(seconds) })
          : elevate(deps, view, reply, request)
      },
    }
    for (const [name, act] of Object.entries(actions))
      app.post(`/console/${name}`, createActionOptions(deps), (request, reply) =>
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
  async 'sign-out'(deps, { session }, reply, request) {
    await endSession(deps, request, reply, session)
    return { location: '/console/open?out' }
  },
  async theme(deps, { form }, reply) {
    const theme = form.get('theme') ?? ''
    const value = theme === 'light' || theme === 'dark' ? theme : 'system'
    return remember(deps, reply, THEME_COOKIE, value)
  },
  async keys(deps, { form }, reply) {
    const value = form.get('letters') === 'off' ? 'off' : 'on'
    return remember(deps, reply, KEYS_COOKIE, value, '/console/keys')
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

function remember(
  deps: SignInDeps,
  reply: FastifyReply,
  name: string,
  value: string,
  location = '/console',
): Answer {
  const options = { seconds: COOKIE_SECONDS, baseUrl: deps.consoleUrl() }
  reply.header('set-cookie', serializeCookie(name, value, options))
  return { location }
}

/**
 * Creates a function that counts an attempt of the network of a request, and resolves to the seconds to wait: 0 while there are at most
 * ten a minute. There is no limit of all together, with which anyone could lock the team out.
 */
export function createAttemptCounter(
  app: FastifyInstance,
): (request: FastifyRequest) => Promise<number> {
  const limit = app.createRateLimit({
    max: 10,
    timeWindow: 60_000,
    keyGenerator: ({ ip }) => toNetworkAddress(ip, 64),
  })
  return async (request) => {
    const result = await limit(request)
    return result.isAllowed || !result.isExceeded ? 0 : Math.max(1, result.ttlInSeconds)
  }
}

async function elevate(
  deps: SignInDeps,
  view: Submission,
  reply: FastifyReply,
  request: FastifyRequest,
): Promise<Answer> {
  const { session, form, query, words } = view
  const { userId, sessionId } = session
  const response = form.get('response') ?? ''
  const method = response === '' ? 'code' : 'passkey'
  const isConfirmed =
    method === 'code'
      ? (await useCode(deps, form.get('code') ?? '')) === userId
      : arePasskeysOn(deps) &&
        (await usePasskey(deps, response, `confirm ${sessionId}`, userId)) !== undefined
  if (!isConfirmed)
    return showElevation(deps, view, {
      status: 422,
      ...(method === 'code'
        ? { error: words.signIn.wrong }
        : { otherError: words.signIn.refusedPasskey }),
    })
  await elevateSession(deps, request, reply, { session, method })
  return { location: getTarget(query.get('to')), notice: words.elevation.done }
}

/** What signs in, by the path that its form submits to. */
const SIGN_INS: Readonly<
  Record<
    string,
    (deps: SignInDeps, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  >
> = {
  async '/console/open'(deps, request, reply) {
    const form = getForm(request)
    const userId = await useCode(deps, form.get('code') ?? '')
    if (userId === undefined)
      return sendSignIn(deps, request, reply, { status: 422, error: en.signIn.wrong })
    await verifyEmail(deps, request, userId)
    return completeSignIn(deps, request, reply, { userId, method: 'code', to: form.get('to') })
  },
  async '/console/open/passkey'(deps, request, reply) {
    const form = getForm(request)
    const passkey = arePasskeysOn(deps)
      ? await usePasskey(deps, form.get('response') ?? '', 'sign in')
      : undefined
    if (passkey === undefined)
      return sendSignIn(deps, request, reply, {
        status: 422,
        otherError: en.signIn.refusedPasskey,
      })
    const { userId, passkeyId } = passkey
    return completeSignIn(deps, request, reply, {
      userId,
      method: 'passkey',
      isStillValid: (trx) => deps.passkeys.has(trx, passkeyId),
      to: form.get('to'),
    })
  },
}
