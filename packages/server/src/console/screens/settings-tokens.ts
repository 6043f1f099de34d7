import type { Linchpin, Token } from '@linchpin/sdk'
import { isLinchpinError } from '@linchpin/sdk'
import { getRoleScopes } from '../../access/members/roles.ts'
import { type Html, html } from '../../platform/ui/html.ts'
import { choices } from '../parts/choices.ts'
import {
  banner,
  copyable,
  facts,
  linkButton,
  panel,
  snippet,
  submitButton,
} from '../parts/content.ts'
import { dialog } from '../parts/dialog.ts'
import { selectField, textField } from '../parts/fields.ts'
import { type FormErrors, formBanner, toFormErrors } from '../parts/form-errors.ts'
import { emptyState, pager, table } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import type { Answer, Page, Screen, Submission, View } from '../screen.ts'
import { withElevated } from './elevated.ts'
import { settingsTabs } from './settings-tabs.ts'

const PATH = '/console/settings/tokens'
const PAGE = 50
const DAY_SECONDS = 24 * 60 * 60

/** Which programs have access? */
export const tokensScreen: Screen = {
  path: '/settings/tokens',
  show: (view) => withApi(view, PATH, (api) => showList(view, api)),
}

/** A token for a program. */
export const newTokenScreen: Screen = {
  path: '/settings/tokens/new',
  show: (view) => withApi(view, `${PATH}/new`, async () => showForm(view, NEW)),
  actions: { '': create },
}

/** What may this token do, and who revokes it? */
export const tokenScreen: Screen = {
  path: '/settings/tokens/:tokenId',
  show: (view) =>
    withApi(view, `${PATH}/${view.params.tokenId}`, async (api) =>
      showToken(view, await findToken(api, view.params.tokenId ?? '')),
    ),
  actions: { '/revoke': revoke },
}

const withApi = (view: View, path: string, show: (api: Linchpin) => Promise<Answer>) =>
  withElevated(
    view,
    { scope: 'tokens', tab: 'tokens', path, text: view.words.settings.tokens.elevate },
    show,
  )

async function showList({ words, query, now }: View, api: Linchpin): Promise<Page> {
  const { tokens: texts } = words.settings
  const all = await api.tokens.list().first(Number.POSITIVE_INFINITY)
  const start = Math.max(
    0,
    all.findIndex(({ tokenId }) => tokenId === query.get('cursor')),
  )
  const rows = all.slice(start, start + PAGE)
  const add = linkButton({ text: texts.add, icon: 'plus', kind: 'primary' }, `${PATH}/new`)
  return {
    title: words.sections.settings,
    section: 'settings',
    tabs: settingsTabs('tokens', words),
    actions: all.length === 0 ? [] : [add],
    main:
      all.length === 0
        ? emptyState({
            icon: 'key',
            text: texts.none,
            action: add,
            more: snippet(
              'const linchpin = new Linchpin({ token: env.LINCHPIN_TOKEN })',
              words,
              'TypeScript',
            ),
          })
        : html`<p class="quiet lead">${texts.lead}</p>${renderTokens(words, rows, now)}${pager({ path: PATH, query }, all[start + PAGE]?.tokenId, words)}`,
  }
}

function renderTokens(words: View['words'], rows: readonly Token[], now: number): Html {
  const { tokens: texts } = words.settings
  return table<Token>({
    label: texts.title,
    rows,
    key: (row) => row.tokenId,
    href: (row) => `${PATH}/${row.tokenId}`,
    columns: [
      {
        name: texts.name,
        width: 'wide',
        cell: (row) =>
          html`<span class="two"><b>${row.name}</b><small>${row.scopes.map((scope) => describeScope(words, scope).label).join(', ')}</small></span>`,
      },
      {
        name: texts.lastUsed,
        width: 'medium',
        cell: (row) =>
          row.lastUsedAt === null ? texts.neverUsed : timeAgo(row.lastUsedAt, now, words),
      },
      {
        name: texts.expires,
        width: 'medium',
        align: 'end',
        cell: (row) =>
          row.expiresAt === null ? texts.neverExpires : timeAgo(row.expiresAt, now, words),
      },
    ],
  })
}

function describeScope({ settings }: View['words'], scope: string) {
  const { scopes } = settings
  return scopes[scope as keyof typeof scopes] ?? { label: scope, hint: scope }
}

interface Values {
  readonly name: string
  readonly scopes: readonly string[]
  readonly days: string
}

const NEW: Values = { name: '', scopes: ['read'], days: '90' }

function showForm(view: View, values: Values, errors?: FormErrors): Page {
  const { words, session } = view
  const { tokens: texts } = words.settings
  const { role, extraScopes, workspaceName, workspaceSlug } = session.membership
  const error = errors?.fields ?? {}
  return {
    title: texts.newTitle,
    section: 'settings',
    status: errors === undefined ? 200 : 422,
    parent: { href: PATH, label: texts.title },
    banner: formBanner(errors),
    main: html`<form method="post" action="${PATH}/new" class="stack form" data-turbo="false">${view.formFields(`${PATH}/new`)}
${textField({ name: 'name', label: texts.name, hint: texts.nameHint, value: values.name, error: error.name, isRequired: true, maxLength: 100 })}
${choices({
  name: 'scope',
  label: texts.scopes,
  type: 'checkbox',
  choices: getRoleScopes(role, 'elevated', extraScopes).map((value) => ({
    value,
    ...describeScope(words, value),
  })),
  chosen: values.scopes,
  error: error.scopes,
})}
${facts([[texts.workspace, workspaceName || workspaceSlug]])}
${selectField({ name: 'days', label: texts.lifetime, value: values.days, error: error.seconds }, texts.lifetimes)}
<div class="buttons">${submitButton({ text: texts.create, kind: 'primary' })}${linkButton({ text: words.app.cancel }, PATH)}</div></form>`,
  }
}

async function create(view: Submission): Promise<Answer> {
  const { form, formId, words, session } = view
  const values: Values = {
    name: form.get('name')?.trim() ?? '',
    scopes: form.getAll('scope'),
    days: form.get('days') ?? '90',
  }
  return withApi(view, `${PATH}/new`, async (api) => {
    try {
      const { token, tokenId } = await api.tokens.create(
        {
          name: values.name,
          scopes: values.scopes as 'read'[],
          seconds: Number(values.days) * DAY_SECONDS,
          workspaceId: session.membership.workspaceId,
        },
        { idempotencyKey: formId },
      )
      return showValue(words, token, tokenId)
    } catch (error) {
      return showForm(view, values, toFormErrors(error, ['name', 'scopes', 'seconds']))
    }
  })
}

/** The page with the value of a new token: the only one that has it. */
function showValue(words: View['words'], token: string, tokenId: string): Page {
  const { tokens: texts } = words.settings
  return {
    title: texts.created,
    section: 'settings',
    parent: { href: PATH, label: texts.title },
    banner: banner('warn', { title: texts.once, text: texts.onceText }),
    main: html`<div class="stack form">${snippet(token, words, texts.value)}${snippet('export LINCHPIN_TOKEN=…', words, texts.environment)}<div class="buttons">${linkButton({ text: texts.done, kind: 'primary' }, `${PATH}/${tokenId}`)}</div></div>`,
  }
}

/** There is no operation for one token. */
async function findToken(api: Linchpin, tokenId: string): Promise<Token | undefined> {
  for await (const token of api.tokens.list()) if (token.tokenId === tokenId) return token
  return undefined
}

function showToken(view: View, token: Token | undefined): Page {
  const { words, now } = view
  const { tokens: texts } = words.settings
  const parent = { href: PATH, label: texts.title }
  if (token === undefined)
    return {
      title: words.errors.notFoundTitle,
      section: 'settings',
      status: 404,
      parent,
      main: emptyState({ icon: 'search', text: texts.notFound }),
    }
  return {
    title: token.name,
    section: 'settings',
    parent,
    actions: [renderRevocation(view, token)],
    main: html`<div class="columns"><div>${panel(
      texts.scopes,
      html`<ul class="lines">${token.scopes.map((scope) => {
        const { label, hint } = describeScope(words, scope)
        return html`<li><b>${label}</b> <span class="quiet">${hint}</span></li>`
      })}</ul>`,
    )}</div><aside>${panel(
      texts.facts,
      facts([
        [
          texts.lastUsed,
          token.lastUsedAt === null ? texts.neverUsed : timeAgo(token.lastUsedAt, now, words),
        ],
        [texts.expires, token.expiresAt === null ? texts.neverExpires : exactTime(token.expiresAt)],
        [texts.created, exactTime(token.createdAt)],
        [
          texts.accounts,
          token.integrationAccountIds === null ? undefined : token.integrationAccountIds.join(', '),
        ],
        ['ID', copyable(token.tokenId, words)],
      ]),
    )}</aside></div>`,
  }
}

/** A session can revoke only what has no more scopes than itself. */
function renderRevocation(view: View, { tokenId, name, scopes }: Token): Html {
  const { words, session } = view
  const { tokens: texts } = words.settings
  const { role, extraScopes } = session.membership
  const own = getRoleScopes(role, 'elevated', extraScopes)
  const path = `${PATH}/${tokenId}/revoke`
  return dialog({
    id: 'revoke',
    trigger: {
      text: texts.revoke,
      icon: 'trash',
      disabledBecause: scopes.every((scope) => own.includes(scope) || scope === 'write')
        ? undefined
        : texts.wider,
    },
    title: texts.revokeTitle(name),
    content: html`<p>${texts.revokeText}</p><form method="post" action="${path}">${view.formFields(path)}<div class="buttons">${submitButton({ text: texts.revoke, icon: 'trash', kind: 'danger' })}</div></form>`,
    words,
  })
}

async function revoke(view: Submission): Promise<Answer> {
  const { params, words } = view
  const tokenId = params.tokenId ?? ''
  return withApi(view, `${PATH}/${tokenId}`, async (api) => {
    try {
      await api.tokens.delete(tokenId)
    } catch (error) {
      if (!isLinchpinError(error, 'insufficient_scope')) throw error
      return { location: `${PATH}/${tokenId}`, notice: words.settings.tokens.wider }
    }
    return { location: PATH, notice: words.settings.tokens.revoked }
  })
}
