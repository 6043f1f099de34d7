import type { Linchpin, ListedMember } from '@linchpin/sdk'
import { isLinchpinError } from '@linchpin/sdk'
import {
  EXTRA_SCOPES,
  GIVEN_ROLES,
  type GivenRole,
  getRoleScopes,
  isNarrower,
  type Role,
} from '../../access/members/roles.ts'
import { type Html, html } from '../../platform/ui/html.ts'
import { choices } from '../parts/choices.ts'
import { banner, copyable, facts, linkButton, panel, submitButton } from '../parts/content.ts'
import { dialog } from '../parts/dialog.ts'
import { textField } from '../parts/fields.ts'
import { type FormErrors, formBanner, toFormErrors } from '../parts/form-errors.ts'
import { share } from '../parts/share.ts'
import { statusBadge } from '../parts/status.ts'
import { emptyState, table } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Page, Screen, Submission, View } from '../screen.ts'
import type { Words } from '../words/en.ts'
import { withElevated } from './elevated.ts'
import { settingsTabs } from './settings-tabs.ts'

const PATH = '/console/settings/members'

/** Who of the team has access? */
export const membersScreen: Screen = {
  path: '/settings/members',
  show: showList,
}

/** Another person of the team. */
export const newMemberScreen: Screen = {
  path: '/settings/members/new',
  show: (view) =>
    withApi(view, `${PATH}/new`, async () =>
      showForm(view, { email: '', role: 'support', extraScopes: [] }),
    ),
  actions: { '': invite },
}

/** What may this member do? */
export const memberScreen: Screen = {
  path: '/settings/members/:memberId',
  show: (view) =>
    withApi(view, `${PATH}/${view.params.memberId}`, async (api) =>
      showMember(view, await findMember(api, view)),
    ),
  actions: {
    '/role': changeRole,
    '/invitation': inviteAgain,
    '/removal': remove,
  },
}

const withApi = (view: View, path: string, show: (api: Linchpin) => Promise<Answer>) =>
  withElevated(
    view,
    { scope: 'members', tab: 'members', path, text: view.words.settings.members.elevate },
    show,
  )

async function showList(view: View): Promise<Page> {
  const { words, api, session } = view
  const { members: texts } = words.settings
  const page = {
    title: words.sections.settings,
    section: 'settings',
    tabs: settingsTabs('members', words),
  } as const
  const reason = whyNot(view, 'audit:read')
  if (reason !== undefined)
    return { ...page, status: 403, main: emptyState({ icon: 'lock', text: reason }) }
  const members = await api.members
    .list({ workspaceId: session.membership.workspaceId })
    .first(Number.POSITIVE_INFINITY)
  const add = linkButton({ text: texts.invite, icon: 'plus', kind: 'primary' }, `${PATH}/new`)
  return {
    ...page,
    actions: [add],
    main: html`<p class="quiet lead">${texts.lead}</p>${renderMembers(view, members)}`,
  }
}

function renderMembers({ words, now }: View, members: readonly ListedMember[]): Html {
  const { members: texts } = words.settings
  return table<ListedMember>({
    label: texts.title,
    rows: members,
    key: ({ memberId }) => memberId,
    href: ({ memberId }) => `${PATH}/${memberId}`,
    columns: [
      {
        name: texts.person,
        width: 'wide',
        cell: ({ name, email }) =>
          html`<span class="two"><b>${name ?? email}</b>${name === null ? '' : html`<small>${email}</small>`}</span>`,
      },
      {
        name: texts.role,
        width: 'medium',
        cell: ({ role }) => describeRole(words, role).label,
      },
      {
        name: texts.state,
        width: 'medium',
        onPhone: 'line',
        cell: (member) => renderState(member, words, now),
      },
      {
        name: texts.lastSeen,
        width: 'medium',
        align: 'end',
        onPhone: 'hidden',
        cell: (member) => renderLastSeen(member, words, now) ?? '',
      },
    ],
  })
}

function renderState({ status, invitedUntil }: ListedMember, words: Words, now: number): Html {
  const { members: texts } = words.settings
  if (status === 'active') return statusBadge({ label: texts.active, tone: 'good', icon: 'good' })
  return invitedUntil !== null && Date.parse(invitedUntil) > now
    ? statusBadge({ label: texts.invited, tone: 'warn', icon: 'clock' })
    : statusBadge({ label: texts.expired, tone: 'quiet', icon: 'clock' })
}

function renderLastSeen(
  { status, lastSeenAt }: ListedMember,
  words: Words,
  now: number,
): Html | string | undefined {
  if (status === 'invited') return undefined
  return lastSeenAt === null ? words.settings.members.notSeen : timeAgo(lastSeenAt, now, words)
}

function describeRole({ settings }: Words, role: string): { label: string; hint: string } {
  const { roles } = settings.members
  return roles[role as Role] ?? { label: role, hint: '' }
}

interface Values {
  readonly email: string
  readonly role: string
  readonly extraScopes: readonly string[]
}

function showForm(view: View, values: Values, errors?: FormErrors): Page {
  const { words } = view
  const { members: texts } = words.settings
  return {
    title: texts.newTitle,
    section: 'settings',
    status: errors === undefined ? 200 : 422,
    parent: { href: PATH, label: texts.title },
    banner: formBanner(errors),
    main: html`<form method="post" action="${PATH}/new" class="stack form">${view.formFields(`${PATH}/new`)}
${textField({ name: 'email', type: 'email', label: texts.email, hint: texts.emailHint, value: values.email, error: errors?.fields.email, isRequired: true, maxLength: 254 })}
${roleFields(view, values, errors)}
<div class="buttons">${submitButton({ text: texts.create, kind: 'primary' })}${linkButton({ text: words.app.cancel }, PATH)}</div></form>`,
  }
}

/** No one can give more than they have: the API refuses it, and the form does not offer it. */
function roleFields(
  { words, session }: View,
  { role, extraScopes }: Pick<Values, 'role' | 'extraScopes'>,
  errors?: FormErrors,
): Html {
  const { members: texts, scopes } = words.settings
  const own = getRoleScopes(session.membership.role, 'elevated', session.membership.extraScopes)
  const extra = EXTRA_SCOPES.filter((scope) => own.includes(scope) || extraScopes.includes(scope))
  return html`${choices({
    name: 'role',
    label: texts.role,
    type: 'radio',
    choices: GIVEN_ROLES.filter((each) =>
      getRoleScopes(each, 'elevated').every((scope) => own.includes(scope)),
    ).map((value) => ({ value, ...describeRole(words, value) })),
    chosen: [role],
    error: errors?.fields.role,
  })}${
    extra.length === 0
      ? ''
      : choices({
          name: 'extra',
          label: texts.extra,
          type: 'checkbox',
          hint: texts.extraHint,
          choices: extra.map((value) => ({ value, ...scopes[value] })),
          chosen: extraScopes,
          error: errors?.fields.extraScopes,
        })
  }`
}

function readValues({ form }: Submission): Values {
  return {
    email: form.get('email')?.trim() ?? '',
    role: form.get('role') ?? '',
    extraScopes: form.getAll('extra'),
  }
}

async function invite(view: Submission): Promise<Answer> {
  const values = readValues(view)
  const { notEmail } = view.words.settings.members
  if (!/^[^\s@]+@[^\s@]+$/.test(values.email))
    return showForm(view, values, { message: undefined, fields: { email: notEmail } })
  return withApi(view, `${PATH}/new`, async (api) => {
    try {
      return await sendInvitation(view, api, values)
    } catch (error) {
      return showForm(view, values, toFormErrors(error, ['email', 'role', 'extraScopes']))
    }
  })
}

/** The page with the URL of a new invitation: the only one that has it. */
async function sendInvitation(
  { words, now, session, formId }: Submission,
  api: Linchpin,
  { email, role, extraScopes }: Values,
): Promise<Page> {
  const { members: texts } = words.settings
  const member = await api.members.invite(
    {
      email,
      role: role as GivenRole,
      extraScopes: extraScopes as (typeof EXTRA_SCOPES)[number][],
      workspaceId: session.membership.workspaceId,
    },
    { idempotencyKey: formId },
  )
  return {
    title: texts.invitedTitle(email),
    section: 'settings',
    parent: { href: PATH, label: texts.title },
    banner: banner('warn', { title: texts.once, text: texts.onceText }),
    main: html`<div class="stack form">${share(
      member.invitationUrl,
      words,
      html`<p class="quiet">${texts.validUntil} ${timeAgo(member.invitedUntil ?? now, now, words)}.</p>`,
    )}<div class="buttons">${linkButton({ text: texts.done, kind: 'primary' }, PATH)}</div></div>`,
  }
}

/** There is no operation for one member: the list has at most 200. */
async function findMember(
  api: Linchpin,
  { params, session }: View,
): Promise<ListedMember | undefined> {
  const { workspaceId } = session.membership
  const members = await api.members.list({ workspaceId }).first(Number.POSITIVE_INFINITY)
  return members.find(({ memberId }) => memberId === params.memberId)
}

function showMember(view: View, member: ListedMember | undefined, errors?: FormErrors): Page {
  const { words } = view
  const { members: texts } = words.settings
  const parent = { href: PATH, label: texts.title }
  if (member === undefined)
    return {
      title: words.errors.notFoundTitle,
      section: 'settings',
      status: 404,
      parent,
      main: emptyState({ icon: 'search', text: texts.notFound }),
    }
  const cannot = whyUnchangeable(view, member)
  return {
    title: member.name ?? member.email,
    note: html`${member.name === null ? '' : html`${member.email} · `}${describeRole(words, member.role).label}`,
    section: 'settings',
    status: errors === undefined ? 200 : 422,
    parent,
    banner: formBanner(errors),
    actions: renderActions(view, member, cannot),
    main: html`<div class="columns"><div>${panel(
      texts.rights,
      cannot === undefined ? renderRoleForm(view, member) : html`<p class="quiet">${cannot}</p>`,
    )}${member.tokens.length === 0 ? '' : panel(texts.tokens, listTokens(member))}</div><aside>${panel(
      texts.facts,
      renderFacts(view, member),
    )}</aside></div>`,
  }
}

/** The owner keeps their role, and a member only changes those who have no more than they have. */
function whyUnchangeable({ words, session }: View, { role }: ListedMember): string | undefined {
  const { members: texts } = words.settings
  if (role === 'owner') return texts.owner
  const own = getRoleScopes(session.membership.role, 'elevated', session.membership.extraScopes)
  const needed = getRoleScopes(role as Role, 'elevated')
  return needed.every((scope) => own.includes(scope)) ? undefined : texts.wider
}

function renderFacts({ words, now }: View, member: ListedMember): Html {
  const { members: texts } = words.settings
  return facts([
    [texts.state, renderState(member, words, now)],
    [texts.lastSeen, renderLastSeen(member, words, now)],
    [texts.invitedUntil, member.invitedUntil === null ? undefined : exactTime(member.invitedUntil)],
    [texts.since, exactTime(member.createdAt)],
    ['ID', copyable(member.memberId, words)],
    [texts.user, member.userId === null ? undefined : copyable(member.userId, words)],
  ])
}

function renderRoleForm(view: View, { memberId, role, extraScopes }: ListedMember): Html {
  const path = `${PATH}/${memberId}/role`
  return html`<form method="post" action="${path}" class="stack">${view.formFields(path)}${roleFields(view, { role, extraScopes })}<div class="buttons">${submitButton({ text: view.words.app.save, kind: 'primary' })}</div></form>`
}

function listTokens({ tokens }: Pick<ListedMember, 'tokens'>): Html {
  return html`<ul class="lines">${tokens.map(
    ({ tokenId, name }) => html`<li><a href="/console/settings/tokens/${tokenId}">${name}</a></li>`,
  )}</ul>`
}

function renderActions(view: View, member: ListedMember, cannot: string | undefined): Html[] {
  const { words } = view
  const { members: texts } = words.settings
  const isInvited = member.status === 'invited'
  const invitation = `${PATH}/${member.memberId}/invitation`
  const removal = `${PATH}/${member.memberId}/removal`
  const removeText = isInvited ? texts.withdraw : texts.remove
  return [
    ...(isInvited && cannot === undefined
      ? [
          html`<form method="post" action="${invitation}">${view.formFields(invitation)}${submitButton({ text: texts.inviteAgain, icon: 'refresh' })}</form>`,
        ]
      : []),
    dialog({
      id: 'remove',
      trigger: { text: removeText, icon: 'trash', disabledBecause: cannot },
      title: texts.removeTitle(member.name ?? member.email),
      content: html`<p>${isInvited ? texts.withdrawText : texts.removeText}</p>${member.tokens.length === 0 ? '' : html`<p>${texts.tokensEnd}</p>${listTokens(member)}`}<form method="post" action="${removal}">${view.formFields(removal)}<div class="buttons">${submitButton({ text: removeText, icon: 'trash', kind: 'danger' })}</div></form>`,
      words,
    }),
  ]
}

/** What a member loses ends the access tokens that they created: the page lists them first. */
async function changeRole(view: Submission): Promise<Answer> {
  const { words, form } = view
  const values = readValues(view)
  return withMember(view, async (api, member) => {
    const { extraScopes } = values
    const role = values.role as GivenRole
    const before = { role: member.role as Role, extraScopes: member.extraScopes }
    const isLoss = GIVEN_ROLES.includes(role) && isNarrower(before, { role, extraScopes })
    if (isLoss && member.tokens.length > 0 && form.get('confirm') !== 'yes')
      return showConfirmation(view, member, values)
    try {
      await api.members.update(member.memberId, {
        role,
        extraScopes: extraScopes as (typeof EXTRA_SCOPES)[number][],
      })
    } catch (error) {
      return showMember(view, member, toFormErrors(error, ['role', 'extraScopes']))
    }
    return { location: `${PATH}/${member.memberId}`, notice: words.app.saved }
  })
}

function showConfirmation(view: View, member: ListedMember, values: Values): Page {
  const { words } = view
  const { members: texts } = words.settings
  const path = `${PATH}/${member.memberId}/role`
  const back = `${PATH}/${member.memberId}`
  return {
    title: texts.narrowerTitle(describeRole(words, values.role).label),
    section: 'settings',
    parent: { href: back, label: member.name ?? member.email },
    main: html`<form method="post" action="${path}" class="stack form">${view.formFields(path)}<input type="hidden" name="role" value="${values.role}">${values.extraScopes.map((scope) => html`<input type="hidden" name="extra" value="${scope}">`)}<input type="hidden" name="confirm" value="yes"><p>${texts.tokensEnd}</p>${listTokens(member)}<div class="buttons">${submitButton({ text: texts.confirm, kind: 'danger' })}${linkButton({ text: words.app.cancel }, back)}</div></form>`,
  }
}

async function inviteAgain(view: Submission): Promise<Answer> {
  return withMember(view, (api, { email, role, extraScopes }) =>
    sendInvitation(view, api, { email, role, extraScopes }),
  )
}

async function remove(view: Submission): Promise<Answer> {
  return withMember(view, async (api, { memberId, status }) => {
    await api.members.delete(memberId)
    const { removed, withdrawn } = view.words.settings.members
    return { location: PATH, notice: status === 'invited' ? withdrawn : removed }
  })
}

async function withMember(
  view: Submission,
  act: (api: Linchpin, member: ListedMember) => Promise<Answer>,
): Promise<Answer> {
  const path = `${PATH}/${view.params.memberId}`
  return withApi(view, path, async (api) => {
    const member = await findMember(api, view)
    if (member === undefined) return showMember(view, undefined)
    return act(api, member).catch((error: unknown) => {
      if (!isLinchpinError(error, 'insufficient_scope')) throw error
      return { location: path, notice: view.words.settings.members.wider }
    })
  })
}
