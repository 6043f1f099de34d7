import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GrantRoleDeps } from '../access/members/grant-role.ts'
import {
  getForm,
  getSearchParams,
  isFromForeignPage,
  readCookie,
} from '../platform/http/browser-request.ts'
import type { Id } from '../platform/storage/id.ts'
import { logo } from '../platform/ui/assets.ts'
import { type Html, html } from '../platform/ui/html.ts'
import { type ConsoleDeps, redirectTo, sendBare } from './answer.ts'
import { snippet } from './parts/content.ts'
import { icon } from './parts/icons.ts'
import { passkeyForm } from './parts/passkey-form.ts'
import type { Answer, View } from './screen.ts'
import type { Oidc } from './sign-in/oidc.ts'
import type { Passkey } from './sign-in/passkey-store.ts'
import { createRequestOptions, getPasskeyDomain, type PasskeyDeps } from './sign-in/passkeys.ts'
import { beginSession, findSession, type SignedIn } from './sign-in/session.ts'
import { en } from './words/en.ts'

export interface SignInDeps extends ConsoleDeps, PasskeyDeps, GrantRoleDeps {
  /** The e-mail of a user; undefined if there is none. */
  readonly findEmail: (userId: Id<'usr'>) => Promise<string | undefined>
  /** Absent without an identity provider. */
  readonly oidc?: Oidc | undefined
  /** The user with an e-mail, in any letter case; undefined if there is none. */
  readonly findUser: (email: string) => Promise<Id<'usr'> | undefined>
  /** The command that creates a sign-in code, as the operator runs it. */
  readonly codeCommand: string
}

/** With it, a sign-in does not lead to the welcome. */
export const WELCOME_COOKIE = 'linchpin-console-welcome'

/** Why someone is on a page again. */
export interface Failed {
  readonly status?: number
  /** What is wrong with the code. */
  readonly error?: string | undefined
  /** The same of the passkey, or of what the identity provider said. */
  readonly otherError?: string | undefined
}

/** What can wait until a person has proven again who they are: with a passkey if they have one, otherwise with a code. */
export async function showElevation(
  deps: SignInDeps,
  view: View,
  failed: Failed = {},
): Promise<Answer> {
  const { words, query, session } = view
  const to = getTarget(query.get('to'))
  if (session.elevatedUntil !== null && failed.status === undefined) return { location: to }
  const passkeys = await listUsablePasskeys(deps, session.userId)
  const hasOther = passkeys.length > 0 || deps.oidc !== undefined
  const otherError = query.has('failed') ? words.signIn.oidcFailed : failed.otherError
  const parts = { to, passkeys, hasOther, failed: { ...failed, otherError } }
  const lead =
    passkeys.length > 0
      ? words.elevation.leadPasskey
      : deps.oidc === undefined
        ? words.elevation.lead
        : words.elevation.leadOidc
  return {
    title: words.elevation.title,
    section: 'settings',
    status: failed.status ?? (otherError === undefined ? undefined : 422),
    main: html`<div class="narrow"><p>${lead}</p>${renderConfirmations(deps, view, parts)}</div>`,
  }
}

interface ConfirmationParts {
  readonly to: string
  readonly passkeys: readonly Passkey[]
  /** Whether there is another way than a code. */
  readonly hasOther: boolean
  readonly failed: Failed
}

/** The ways to confirm who one is, the best one first. */
function renderConfirmations(
  deps: SignInDeps,
  view: View,
  { to, passkeys, hasOther, failed }: ConfirmationParts,
): Html {
  const { words, session } = view
  const target = encodeURIComponent(to)
  const fields = view.formFields('/console/elevate')
  const code = html`<form method="post" action="/console/elevate?to=${target}" class="stack">${fields}
${codeField(failed.error)}<div class="buttons"><button class="button${hasOther ? '' : ' primary'}">${words.elevation.submit}</button></div></form>
<details class="help" open><summary>${words.signIn.where}</summary><p>${words.elevation.command}</p>${snippet(deps.codeCommand, words)}</details>`
  const passkey =
    passkeys.length === 0
      ? ''
      : passkeyForm({
          action: `/console/elevate?to=${target}`,
          fields,
          options: createRequestOptions(deps, `confirm ${session.sessionId}`, passkeys),
          kind: 'get',
          submit: { text: words.elevation.passkey, icon: 'key', kind: 'primary' },
          error: failed.otherError,
          words,
        })
  const oidc =
    deps.oidc === undefined
      ? ''
      : html`${passkeys.length === 0 ? renderError(failed.otherError) : ''}<div class="buttons"><a class="button${passkeys.length === 0 ? ' primary' : ''}" href="/console/oidc?confirm&amp;to=${target}" data-turbo="false">${icon('lock', 16)}<span>${words.elevation.oidc}</span></a></div>`
  return hasOther
    ? html`${passkey}${oidc}<details class="help"${failed.error === undefined ? '' : html` open`}><summary>${words.signIn.codeInstead}</summary>${code}</details>`
    : code
}

function renderError(error: string | undefined): Html | string {
  return error === undefined ? '' : html`<p class="error" role="alert">${error}</p>`
}

/** Whether passkeys sign in: the address of the console allows them, and people may sign in otherwise than with the identity provider. */
export function arePasskeysOn({
  consoleUrl,
  oidc,
}: Pick<SignInDeps, 'consoleUrl' | 'oidc'>): boolean {
  return getPasskeyDomain(consoleUrl()) !== undefined && oidc?.isOnly !== true
}

/** Those of a person, where the address of the console allows passkeys. */
async function listUsablePasskeys(
  deps: Pick<SignInDeps, 'passkeys' | 'consoleUrl' | 'oidc'>,
  userId: Id<'usr'>,
): Promise<readonly Passkey[]> {
  return arePasskeysOn(deps) ? deps.passkeys.list(userId) : []
}

function codeField(error: string | undefined): Html {
  const { signIn } = en
  return html`<label class="field"><span>${signIn.code}</span>
<input name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required maxlength="2048" placeholder="00000-00000-00000-00000-00000" class="mono"${error === undefined ? '' : html` aria-invalid="true" aria-describedby="code-error"`}></label>
${error === undefined ? '' : html`<p class="error" id="code-error" role="alert">${error}</p>`}`
}

/** Begins the session of someone who has proven who they are. */
export async function completeSignIn(
  deps: SignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { to, ...signedIn }: Omit<SignedIn, 'email'> & { readonly to: string | null },
): Promise<FastifyReply> {
  const email = await deps.findEmail(signedIn.userId)
  const hasBegun =
    email !== undefined && (await beginSession(deps, request, reply, { ...signedIn, email }))
  if (!hasBegun)
    return sendSignIn(deps, request, reply, { status: 403, error: en.signIn.noWorkspace })
  const isDismissed = readCookie(request, WELCOME_COOKIE, deps.consoleUrl()) !== undefined
  const start = isDismissed ? '/console' : '/console/welcome?first'
  return redirectTo(reply, to === null ? start : getTarget(to))
}

/** A page of the console only, so that no address sends people elsewhere after their sign-in. */
export function getTarget(to: string | null): string {
  return to !== null &&
    /^\/console(?:\/[\w\-./]*)?(?:\?[\w\-.~%=&+]*)?$/.test(to) &&
    !to.includes('..')
    ? to
    : '/console'
}

/** The page that signs in. */
export async function sendSignIn(
  deps: SignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  failed: Failed = {},
): Promise<FastifyReply> {
  const { status = 200, error, otherError } = failed
  const query = getSearchParams(request)
  if (status === 200 && (await findSession(deps, request)) !== undefined && !query.has('again'))
    return redirectTo(reply, getTarget(query.get('to')))
  const { signIn: texts } = en
  const to = query.get('to') ?? getForm(request).get('to')
  const target = to === null ? html`` : html`<input type="hidden" name="to" value="${to}">`
  const hasPasskeys = arePasskeysOn(deps) && (await deps.passkeys.exists())
  const hasOther = hasPasskeys || deps.oidc !== undefined
  // Who is signed in must not become someone else by following an address, nor anyone by a link of another page.
  const mustAsk = query.has('again') || isFromForeignPage(request)
  const code = html`<form method="post" action="/console/open" class="stack" data-code-form="${mustAsk ? 'ask' : ''}">
${target}<p>${texts.lead}</p>
${codeField(error)}
<button class="button${hasOther ? '' : ' primary'}">${texts.submit}</button>
</form>
<details class="help"><summary>${texts.where}</summary><p>${texts.whereTerminal}</p><pre class="command"><code>${deps.codeCommand}</code></pre></details>`
  const oidc =
    deps.oidc === undefined
      ? ''
      : html`<a class="button primary" href="/console/oidc${to === null ? '' : html`?to=${encodeURIComponent(to)}`}" data-turbo="false">${icon('lock', 16)}<span>${texts.oidc}</span></a>`
  const passkey = hasPasskeys
    ? passkeyForm({
        action: '/console/open/passkey',
        fields: target,
        options: createRequestOptions(deps, 'sign in'),
        kind: 'get',
        submit: {
          text: texts.passkey,
          icon: 'key',
          kind: deps.oidc === undefined ? 'primary' : undefined,
        },
        isWide: true,
        words: en,
      })
    : ''
  return sendBare(deps, request, reply, {
    status,
    title: texts.title,
    main: html`<div class="mark">${logo(40)}</div>
${query.has('out') ? html`<p class="notice">${texts.signedOut}</p>` : ''}
${renderError(otherError)}
${hasOther ? html`<div class="stack">${oidc}${passkey}</div><details class="help"${error === undefined ? '' : html` open`}><summary>${texts.codeInstead}</summary>${code}</details>` : code}
<p class="quiet"><a href="/docs/quickstart">${en.app.docs}</a> · <a href="/docs">${en.app.apiReference}</a></p>`,
  })
}
