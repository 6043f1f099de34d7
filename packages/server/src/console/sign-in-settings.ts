import type { FastifyRequest } from 'fastify'
import { isId } from '../platform/storage/id.ts'
import { type Html, html } from '../platform/ui/html.ts'
import { banner, facts, linkButton, panel, submitButton } from './parts/content.ts'
import { dialog } from './parts/dialog.ts'
import { textField } from './parts/fields.ts'
import { passkeyForm } from './parts/passkey-form.ts'
import { exactTime, timeAgo } from './parts/time.ts'
import type { Answer, Page, Submission, View } from './screen.ts'
import { SETTINGS_PATHS, settingsTabs } from './screens/settings-tabs.ts'
import type { Passkey } from './sign-in/passkey-store.ts'
import {
  addPasskey,
  createCreationOptions,
  deletePasskey,
  mayAddPasskey,
  type PasskeyDeps,
  renamePasskey,
} from './sign-in/passkeys.ts'
import { endOtherSessions, type SessionDeps, toActor } from './sign-in/session.ts'
import type { OpenSession } from './sign-in/sign-in-store.ts'
import { arePasskeysOn, type SignInDeps } from './sign-in-pages.ts'

const PATH = SETTINGS_PATHS.signIn
const ELEVATE = `/console/elevate?to=${encodeURIComponent(PATH)}`

export type SignInSettingsDeps = Pick<SignInDeps, 'oidc'> & SessionDeps & PasskeyDeps

/** How do I sign in, and where am I signed in? The only settings of a person, so no operation of the API has them. */
export async function showSignInSettings(
  deps: SignInSettingsDeps,
  view: View,
  error?: string,
): Promise<Page> {
  const { session, now, words } = view
  const [passkeys, sessions] = await Promise.all([
    deps.passkeys.list(session.userId),
    deps.signIns.listSessions(session.userId, now),
  ])
  const others = sessions.filter(({ sessionId }) => sessionId !== session.sessionId)
  return {
    title: words.sections.settings,
    section: 'settings',
    status: error === undefined ? 200 : 422,
    tabs: settingsTabs('signIn', words),
    banner:
      error === undefined ? renderFirst(deps, view, passkeys) : banner('bad', { title: error }),
    main: html`<div class="stack">${renderPasskeys(deps, view, passkeys)}${renderSession(view)}${renderSessions(view, others)}</div>`,
  }
}

/** Someone whom an invitation has signed in has no other way in yet. */
function renderFirst(
  deps: SignInSettingsDeps,
  { words: { passkeys: texts }, session }: View,
  passkeys: readonly Passkey[],
): Html | undefined {
  if (session.method !== 'invitation' || passkeys.length > 0 || !arePasskeysOn(deps))
    return undefined
  return banner('info', { title: texts.firstTitle, text: texts.firstText })
}

function renderPasskeys(deps: SignInSettingsDeps, view: View, passkeys: readonly Passkey[]): Html {
  const { words, now } = view
  const { passkeys: texts } = words
  const list = passkeys.map(
    (passkey) =>
      html`<li class="heading"><span class="two"><b>${passkey.name}</b><small>${texts.added} ${timeAgo(passkey.createdAt, now, words)}${passkey.lastUsedAt === null ? html`, ${texts.neverUsed}` : html`, ${texts.lastUsed} ${timeAgo(passkey.lastUsedAt, now, words)}`}</small></span>${renderChanges(view, passkey)}</li>`,
  )
  return panel(
    texts.title,
    html`<div class="stack"><p class="quiet">${passkeys.length === 0 ? texts.none : texts.lead}</p>${list.length === 0 ? '' : html`<ul class="lines">${list}</ul>`}${renderAddition(deps, view, passkeys)}</div>`,
  )
}

function renderAddition(deps: SignInSettingsDeps, view: View, passkeys: readonly Passkey[]): Html {
  const { words, session, now } = view
  const { passkeys: texts } = words
  if (!arePasskeysOn(deps))
    return html`<p class="quiet">${deps.oidc?.isOnly ? texts.off : texts.needsDomain}</p>`
  if (!mayAddPasskey(session, passkeys.length, now))
    return html`<div class="stack"><p>${texts.confirmFirst}</p><div class="buttons">${linkButton({ text: words.elevation.title, icon: 'key' }, ELEVATE)}</div></div>`
  const action = `${PATH}/passkeys`
  return passkeyForm({
    action,
    fields: html`${view.formFields(action)}${textField({ name: 'name', label: texts.newName, hint: texts.nameHint, maxLength: 60, placeholder: texts.namePlaceholder })}`,
    options: createCreationOptions(deps, session, passkeys),
    kind: 'create',
    submit: { text: texts.add, icon: 'plus', kind: passkeys.length === 0 ? 'primary' : undefined },
    words,
  })
}

function renderChanges(view: View, { passkeyId, name }: Passkey): Html {
  const { words, session } = view
  const { passkeys: texts } = words
  const [rename, remove] = [`${PATH}/passkeys/rename`, `${PATH}/passkeys/remove`]
  const id = html`<input type="hidden" name="passkey" value="${passkeyId}">`
  return html`<span class="buttons">${dialog({
    id: `rename-${passkeyId}`,
    trigger: { text: texts.rename },
    title: texts.renameTitle(name),
    content: html`<form method="post" action="${rename}" class="stack">${view.formFields(rename)}${id}
<label class="field"><span>${texts.name}</span><input name="name" value="${name}" maxlength="60" required autocomplete="off"></label>
<div class="buttons">${submitButton({ text: words.app.save, kind: 'primary' })}</div></form>`,
    words,
  })}${
    session.elevatedUntil === null
      ? linkButton({ text: texts.remove }, ELEVATE)
      : dialog({
          id: `remove-${passkeyId}`,
          trigger: { text: texts.remove },
          title: texts.removeTitle(name),
          content: html`<p>${texts.removeText}</p><form method="post" action="${remove}">${view.formFields(remove)}${id}<div class="buttons">${submitButton({ text: texts.remove, icon: 'trash', kind: 'danger' })}</div></form>`,
          words,
        })
  }</span>`
}

function renderSession({ words, session, now, formFields }: View): Html {
  const { signIn } = words.settings
  const { elevatedUntil } = session
  return panel(
    signIn.session,
    html`<div class="stack">${facts([
      [signIn.person, session.name],
      [signIn.email, session.email],
      [signIn.role, words.roles[session.membership.role]],
      [signIn.method, nameMethod(words, session.method)],
      [signIn.since, exactTime(session.startedAt)],
      [signIn.ends, html`${exactTime(session.endsAt)} (${timeAgo(session.endsAt, now, words)})`],
      [
        signIn.elevated,
        elevatedUntil === null
          ? signIn.notElevated
          : html`${signIn.elevatedEnd} ${timeAgo(elevatedUntil, now, words)}`,
      ],
    ])}<p class="quiet">${signIn.idle}</p>
<form method="post" action="/console/sign-out" data-turbo="false">${formFields('/console/sign-out')}${submitButton({ text: words.app.signOut, icon: 'signOut' })}</form></div>`,
  )
}

function nameMethod({ settings }: View['words'], method: string): string {
  const { methods } = settings.signIn
  return methods[method as keyof typeof methods] ?? method
}

function renderSessions(view: View, sessions: readonly OpenSession[]): Html {
  const { words, now } = view
  const { signIn } = words.settings
  if (sessions.length === 0)
    return panel(signIn.others, html`<p class="quiet">${signIn.noOthers}</p>`)
  const [end, endAll] = [`${PATH}/sessions/end`, `${PATH}/sessions/end-others`]
  return panel(
    signIn.others,
    html`<div class="stack"><ul class="lines">${sessions.map(
      ({ sessionId, userAgent, ip, method, startedAt, lastSeenAt }) =>
        html`<li class="heading"><span class="two"><b>${describeBrowser(userAgent) ?? signIn.unknownBrowser}</b><small>${[nameMethod(words, method), ip].filter(Boolean).join(', ')}, ${signIn.sinceTime} ${exactTime(startedAt)}, ${signIn.lastSeen} ${timeAgo(lastSeenAt, now, words)}</small></span>
<form method="post" action="${end}">${view.formFields(end)}<input type="hidden" name="session" value="${sessionId}">${submitButton({ text: words.app.signOut })}</form></li>`,
    )}</ul><form method="post" action="${endAll}">${view.formFields(endAll)}${submitButton({ text: signIn.endOthers, icon: 'signOut' })}</form></div>`,
  )
}

/** What a form of these settings does. */
type SettingsAction = (
  deps: SignInSettingsDeps,
  view: Submission,
  request: FastifyRequest,
) => Promise<Answer>

/** The forms of these settings, by path below theirs. */
export const SIGN_IN_SETTINGS_ACTIONS: Readonly<Record<string, SettingsAction>> = {
  async '/passkeys'(deps, view, request) {
    const { session, form, words } = view
    if (!arePasskeysOn(deps)) return showSignInSettings(deps, view, words.passkeys.off)
    const added = { text: form.get('response') ?? '', name: form.get('name') ?? '' }
    const result = await addPasskey(deps, session, toActor(request, session.userId), added)
    return 'refusal' in result
      ? showSignInSettings(deps, view, words.passkeys.refusals[result.refusal])
      : { location: PATH, notice: words.passkeys.done }
  },
  async '/passkeys/rename'(deps, { session, form, words }, request) {
    const renamed = { passkeyId: form.get('passkey') ?? '', name: form.get('name') ?? '' }
    await renamePasskey(deps, session, toActor(request, session.userId), renamed)
    return { location: PATH, notice: words.app.saved }
  },
  async '/passkeys/remove'(deps, { session, form, words }, request) {
    // An open session that someone else finds must not lock its person out.
    if (session.elevatedUntil === null) return { location: ELEVATE }
    const actor = toActor(request, session.userId)
    await deletePasskey(deps, session, actor, form.get('passkey') ?? '')
    return { location: PATH, notice: words.passkeys.removed }
  },
  async '/sessions/end'(deps, { session, form, words }, request) {
    const sessionId = form.get('session') ?? ''
    const sessionIds = isId('ses', sessionId) ? [sessionId] : []
    await endOtherSessions(deps, request, session, sessionIds)
    return { location: PATH, notice: words.settings.signIn.ended }
  },
  async '/sessions/end-others'(deps, { session, words, now }, request) {
    const sessions = await deps.signIns.listSessions(session.userId, now)
    const sessionIds = sessions.map(({ sessionId }) => sessionId)
    await endOtherSessions(deps, request, session, sessionIds)
    return { location: PATH, notice: words.settings.signIn.endedAll }
  },
}

/** What people call the browser that sent a `User-Agent`, such as `Firefox on Linux`; undefined for an unknown one. */
function describeBrowser(userAgent: string | null): string | undefined {
  const find = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)]
  return browser === undefined || system === undefined ? browser : `${browser} on ${system}`
}

/** In this order: most browsers also name those that they descend from. */
const BROWSERS = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
] as const
const SYSTEMS = [
  [/\biP(?:hone|ad|od)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const
