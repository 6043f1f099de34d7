import type { AccountHealth, IntegrationAccount } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { longList, panel, submitButton } from '../parts/content.ts'
import { icon } from '../parts/icons.ts'
import { formatNumber } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { View } from '../screen.ts'
import type { Words } from '../words/en.ts'

type Permissions = NonNullable<AccountHealth['permissions']>

/** What scopes allow, in words, by scope. */
export type ScopeLabels = Readonly<Record<string, unknown>>

/** What the spec says of a connection with a sign-in. */
export interface SignInFacts {
  /** Of the scopes. */
  readonly labels: ScopeLabels
  readonly isAtMcpServer: boolean
}

/** What the spec says of an account; nothing without a sign-in, and for a definition that is gone. */
export async function loadSignInFacts(
  { api }: View,
  { integrationDefinitionId, authType }: IntegrationAccount,
  { permissions }: AccountHealth,
): Promise<SignInFacts> {
  if (permissions === null) return { labels: {}, isAtMcpServer: false }
  const spec = await api.definitions.getSpec(integrationDefinitionId).catch(() => undefined)
  const type = new Map(Object.entries(spec?.auth_specification ?? {})).get(authType)
  return { labels: type?.['x-scope-labels'] ?? {}, isAtMcpServer: type?.discovery === 'mcp' }
}

/** The scopes to request: what the customer has not granted, and what requests need. */
export function listLacking({ missing, needed }: Permissions): string[] {
  return [...new Set([...missing, ...needed.map(({ scope }) => scope)])]
}

/** The permissions of a connection, with what became of them, and the button that asks for those that are lacking. */
export function renderPermissions(
  view: View,
  { integrationAccountId, integrationDefinitionId, status }: IntegrationAccount,
  { permissions }: AccountHealth,
  labels: ScopeLabels,
): Html | string {
  if (permissions === null) return ''
  const { words } = view
  const texts = words.connection.permissions
  const lacking = listLacking(permissions)
  const path = `/console/connections/${integrationAccountId}/permissions`
  const ask =
    lacking.length === 0 || status === 'pending'
      ? ''
      : html`<div class="lacking"><p class="status warn">${icon('alert', 16)}<span>${texts.needsMore}</span></p><form method="post" action="${path}">${view.formFields(path)}${submitButton({ text: texts.ask, icon: 'send', disabledBecause: whyNot(view, 'accounts:reconnect') })}</form></div>`
  return panel(
    texts.title,
    html`${ask}${renderList(view, permissions, labels, integrationDefinitionId)}`,
  )
}

function renderList(
  view: View,
  permissions: Permissions,
  labels: ScopeLabels,
  integration: string,
): Html {
  const { words } = view
  const texts = words.connection.permissions
  const { requested, granted, source } = permissions
  const all = listAll(permissions)
  if (all.length === 0)
    return html`<p class="quiet">${requested === null && granted === null ? texts.unknown : texts.none}</p>`
  const note = { assumed: texts.assumed, unknown: texts.unknownSource }[String(source)]
  return html`${longList(
    all.map((scope) => renderScope(view, permissions, scope, labels, integration)),
    'permissions',
    words,
  )}${note === undefined ? '' : html`<p class="quiet">${note}</p>`}`
}

/** Those that are lacking first. */
function listAll(permissions: Permissions): string[] {
  const { requested, granted } = permissions
  return [...new Set([...listLacking(permissions), ...(requested ?? []), ...(granted ?? [])])]
}

function renderScope(
  { words, now }: View,
  { requested, granted, missing, needed, source }: Permissions,
  scope: string,
  labels: ScopeLabels,
  integration: string,
): Html {
  const texts = words.connection.permissions
  const label = Object.hasOwn(labels, scope) ? labels[scope] : undefined
  const name =
    typeof label === 'string' ? html`${label} <code class="quiet">${scope}</code>` : html`${scope}`
  const others = `/console/connections?${new URLSearchParams({ integration, missingScope: scope })}`
  const lacks = (text: string) =>
    html`<b><a href="${others}" title="${texts.others}">${text}</a></b>`
  const need = needed.find((each) => each.scope === scope)
  if (need !== undefined)
    return html`<li class="missing">${icon('alert', 16)}<span>${name} ${lacks(texts.needed)} <small>${texts.refused(formatNumber(need.count))} ${timeAgo(need.since, now, words)}${need.operation === null ? '' : html`, <code>${need.operation}</code>`}</small></span></li>`
  if (missing.includes(scope))
    return html`<li class="missing">${icon('alert', 16)}<span>${name} ${lacks(texts.missing)}</span></li>`
  // What is assumed to be granted is known to be requested, and no more.
  if (granted?.includes(scope) !== true || source === 'assumed')
    return html`<li class="quiet">${icon('info', 16)}<span>${name} <small>${texts.requested}</small></span></li>`
  const state = requested?.includes(scope) === false ? texts.added : texts.granted
  return html`<li>${icon('good', 16)}<span>${name} <small>${state}</small></span></li>`
}

/** The page on which the customer allows more, in the words of a mail. */
export function describeRequest(words: Words, names: readonly string[]) {
  const { askTitle, askText, mail } = words.connection.permissions
  return { title: askTitle, text: askText, mail: (url: string) => mail(url, names.join(', ')) }
}
