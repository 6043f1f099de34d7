import { getCatalogueScopeLabel } from '@linchpin/catalogue'
import { isCatalogueDefinition } from '../../../integrations/definitions/definition.ts'
import { getRequestedScopes } from '../../../integrations/oauth/authorize/get-requested-scopes.ts'
import type { Language } from '../../../platform/i18n/language.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import type { FormStep } from '../integration-offer.ts'
import type { PageContext } from '../page/page-context.ts'

/** Of a longer list, this many stay visible, and the rest is folded. */
const MAX_VISIBLE = 8
/** Custom definitions may name a scope with 4,096 characters. */
const MAX_LENGTH = 200

/** What a sign-in allows: every scope that it requests, in words as far as there are any. */
export function scopeList(
  { messages, workspaceName, language }: PageContext,
  step: Pick<FormStep, 'integration' | 'authMethod'>,
): Html | string {
  const labels = describeScopes(step, language)
  if (labels.length === 0) return ''
  // Folding one or two would hide more than it saves.
  const visibleCount = labels.length > MAX_VISIBLE + 2 ? MAX_VISIBLE : labels.length
  const rest = labels.slice(visibleCount)
  const more = messages.auth.moreScopes({ count: rest.length })
  return html`<div class="scopes"><h2>${messages.auth.scopes({ workspace: workspaceName })}</h2>
${renderLabels(labels.slice(0, visibleCount))}${
  rest.length === 0
    ? ''
    : html`
<details><summary>${more}</summary>${renderLabels(rest)}</details>`
}</div>`
}

function renderLabels(labels: readonly string[]): Html {
  return html`<ul role="list">${labels.map((label) => html`<li><bdi>${label}</bdi></li>`)}</ul>`
}

/**
 * The labels of the scopes that a sign-in requests, in the language of the page if there is one: those of the spec, else the
 * catalogue's, else the name of the scope. Scopes of the protocol are omitted without a label.
 */
export function describeScopes(
  { integration, authMethod }: Pick<FormStep, 'integration' | 'authMethod'>,
  language: Language,
): string[] {
  if (authMethod.scopes === undefined) return []
  const { type, texts } = authMethod.scopes
  const { definition, appScopes = [] } = integration
  const isFromCatalogue = isCatalogueDefinition(definition)
  const labels = getRequestedScopes(type, appScopes).flatMap((scope) => {
    const ours = isFromCatalogue ? getCatalogueScopeLabel(definition.key, scope) : undefined
    const label =
      findLabel(texts?.['x-i18n']?.[language]?.['x-scope-labels'], scope) ??
      findLabel(texts?.['x-scope-labels'], scope) ??
      (language === 'de' ? ours?.de : ours?.en)
    if (label !== undefined) return [label]
    return TECHNICAL_SCOPES.has(scope) ? [] : [scope.slice(0, MAX_LENGTH)]
  })
  return [...new Set(labels)]
}

/** Scopes that name a protocol or its tokens. */
const TECHNICAL_SCOPES: ReadonlySet<string> = new Set([
  'oauth',
  'offline',
  'offline_access',
  'openid',
  'refresh_token',
])

function findLabel(
  labels: Readonly<Record<string, unknown>> | null | undefined,
  scope: string,
): string | undefined {
  // Specs that were stored by an earlier release were not validated here.
  const label = labels != null && Object.hasOwn(labels, scope) ? labels[scope] : undefined
  return typeof label === 'string' ? label : undefined
}
