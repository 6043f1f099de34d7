import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import {
  acceptInvitation,
  findInvitation,
  type Invitee,
  readInvitation,
} from '../access/members/invitation.ts'
import type { Invitation } from '../access/members/member-store.ts'
import { getForm } from '../platform/http/browser-request.ts'
import { type Html, html } from '../platform/ui/html.ts'
import { redirectTo, sendBare } from './answer.ts'
import { textField } from './parts/fields.ts'
import { isOwnRequest } from './sign-in/form-guard.ts'
import { describe, rememberInvitation } from './sign-in/join.ts'
import { beginSession, type ConsoleSession, findSession } from './sign-in/session.ts'
import { toTypedName } from './sign-in/typed-name.ts'
import type { SignInDeps } from './sign-in-pages.ts'
import { createAttemptCounter } from './sign-in-routes.ts'
import { en } from './words/en.ts'

const OPTIONS = { config: { rawQuery: true }, schema: { hide: true } } as const
const MAX_NAME = 100

/** `/console/join`: accepting an invitation. Its secret is in the fragment, which is in no log of a proxy; the script posts it. */
export function joinRoutes(deps: SignInDeps): FastifyPluginAsync {
  return async (app: FastifyInstance) => {
    const countAttempt = createAttemptCounter(app)
    app.get('/console/join', OPTIONS, (request, reply) => sendEntry(deps, request, reply))
    app.post('/console/join', OPTIONS, async (request, reply) => {
      if (!isOwnRequest(request, deps.consoleUrl()))
        return sendEntry(deps, request, reply, { status: 403, error: en.errors.expired })
      const seconds = await countAttempt(request)
      if (seconds > 0)
        return sendEntry(deps, request, reply, { status: 429, error: en.signIn.limited(seconds) })
      return answer(deps, request, reply)
    })
  }
}

interface EntryError {
  readonly status: number
  readonly error: string
}

function sendEntry(
  deps: SignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  problem?: EntryError,
): FastifyReply {
  const { join } = en
  return sendBare(deps, request, reply, {
    status: problem?.status ?? 200,
    title: problem === undefined ? join.open : join.invalidTitle,
    main: html`${problem === undefined ? '' : html`<p role="alert">${problem.error}</p>`}
<form method="post" action="/console/join" class="stack"${problem === undefined ? html` data-code-form` : ''}>
<p>${join.paste}</p>
${textField({ name: 'code', label: join.address, isRequired: true, isCode: true, maxLength: 2_000 })}
<button class="button primary">${join.open}</button></form>`,
  })
}

async function answer(
  deps: SignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = getForm(request)
  const code = readInvitation(form.get('code') ?? '')
  const invitation = await findInvitation(deps, code)
  if (invitation === undefined)
    return sendEntry(deps, request, reply, { status: 422, error: en.join.invalid })
  const session = await findSession(deps, request)
  const name = toTypedName(form.get('name') ?? '', MAX_NAME)
  if (form.get('confirm') !== 'yes')
    return sendInvitation(deps, request, reply, { invitation, session, code })
  if (session === undefined && (await signsInFirst(deps, invitation))) {
    rememberInvitation(deps, reply, code)
    return redirectTo(reply, '/console/open')
  }
  if (session === undefined && !name)
    return sendInvitation(deps, request, reply, { invitation, session, code, isNameMissing: true })
  const invitee = session === undefined ? { name } : { userId: session.userId }
  return accept(deps, request, reply, { invitation, session, code }, invitee)
}

/** Whether a person who is not signed in has to do so: a user, and where people sign in with an identity provider only, a new person, too. */
async function signsInFirst(deps: SignInDeps, { email }: Invitation): Promise<boolean> {
  return deps.oidc?.isOnly === true || (await deps.findUser(email)) !== undefined
}

interface Opened {
  readonly invitation: Invitation
  /** Of the person who opened it. */
  readonly session: ConsoleSession | undefined
  readonly code: string
  readonly isNameMissing?: boolean
}

async function accept(
  deps: SignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  opened: Opened,
  invitee: Invitee,
): Promise<FastifyReply> {
  const result = await acceptInvitation(deps, opened.code, invitee, describe(request))
  if (result.outcome === 'gone')
    return sendEntry(deps, request, reply, { status: 422, error: en.join.invalid })
  if (result.outcome !== 'accepted') return sendInvitation(deps, request, reply, opened)
  const { userId, email, workspaceId } = result
  if (opened.session !== undefined) {
    await deps.signIns.updateSession(opened.session.sessionId, { workspace_id: workspaceId })
    return redirectTo(reply, '/console')
  }
  await beginSession(deps, request, reply, { userId, email, method: 'invitation' })
  return redirectTo(reply, '/console/settings/sign-in?first')
}

/** The page of an invitation: what it is for, and how this person accepts it. */
async function sendInvitation(
  deps: SignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  opened: Opened,
): Promise<FastifyReply> {
  const { invitation, session, isNameMissing = false } = opened
  const { join, roles } = en
  const isOther =
    session !== undefined && session.email.toLowerCase() !== invitation.email.toLowerCase()
  const isKnown = session === undefined && (await signsInFirst(deps, invitation))
  return sendBare(deps, request, reply, {
    // Turbo shows the page in response to a form only if its status is not 200.
    status: isOther ? 403 : isNameMissing ? 422 : 201,
    title: join.title(invitation.workspaceName),
    main: html`<p>${join.lead(invitation.workspaceName, roles[invitation.role])}</p>${
      isOther
        ? html`<p role="alert">${join.other(invitation.email, session.email)}</p>`
        : isKnown
          ? html`<p>${join.known(invitation.email)}</p>${renderForm(opened.code, join.signIn)}`
          : renderForm(
              opened.code,
              session === undefined ? join.submit : join.joinAs(session.name),
              renderFields(opened),
            )
    }`,
  })
}

/** By a form, also for those who sign in first: an address that someone merely opened must not make them a member at their next sign-in. */
function renderForm(code: string, submit: string, fields: Html | string = ''): Html {
  return html`<form method="post" action="/console/join" class="stack"><input type="hidden" name="code" value="${code}"><input type="hidden" name="confirm" value="yes">
${fields}<button class="button primary">${submit}</button></form>`
}

function renderFields({ invitation, session, isNameMissing }: Opened): Html {
  const { join } = en
  return html`<p class="quiet">${join.email}: ${invitation.email}</p>
${
  session === undefined
    ? textField({
        name: 'name',
        label: join.name,
        isRequired: true,
        maxLength: MAX_NAME,
        error: isNameMissing ? join.nameRequired : undefined,
      })
    : ''
}
`
}
