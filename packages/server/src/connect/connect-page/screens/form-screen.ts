import { randomBytes } from 'node:crypto'
import { getCatalogueScopeLabel } from '@linchpin/catalogue'
import {
  getIntegrationIcon,
  isCustomIntegration,
} from '../../../integrations/catalogue/integration-icon.ts'
import { isCatalogueDefinition } from '../../../integrations/definitions/definition.ts'
import {
  NO_SCOPES,
  planScopes,
  TECHNICAL_SCOPES,
  UNKNOWN_GRANT,
} from '../../../integrations/oauth/spec/scopes.ts'
import type { Language } from '../../../platform/i18n/language.ts'
import type { MessageParams, Text } from '../../../platform/i18n/localized-text.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { actions, button } from '../../../platform/ui/field.ts'
import { hiddenInputs, notice, stateHeader, tile, toolTile } from '../../../platform/ui/header.ts'
import { type Html, html, ICONS } from '../../../platform/ui/html.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import { getDefaultAuthMethod } from '../form/auth-method.ts'
import { hasSingleKey, localizeFields } from '../form/field-texts.ts'
import type { FormStep } from '../integration-offer.ts'
import { buildFormUrl, buildPageUrl, type PageContext } from '../page/page-context.ts'
import { sessionField } from '../page/page-session.ts'
import { nameAuthMethods } from './choose-auth-screen.ts'
import { pageHeader, waitingTemplates } from './page-header.ts'
import { errorSummary, type FormFeedback, renderFields } from './render-fields.ts'

/** The form of an auth method, with a single button. A sign-in without fields is a form too. */
export function formScreen(page: PageContext, formView: FormView): Screen {
  const { messages, workspaceName } = page
  const view = localizeView(page, formView)
  const { integration, authMethod, back, feedback } = view
  const { definition } = integration
  const params = {
    workspace: workspaceName,
    tool: definition.name,
    host: authMethod.host ?? definition.name,
  }
  const isSignIn = authMethod.kind === 'sign_in'
  const state = isSignIn ? 'signIn' : 'form'
  const message = isSignIn ? messages.states.signIn(params) : undefined
  const title =
    page.account === undefined
      ? (message?.title ?? messages.form.title(params))
      : messages.form.reconnectTitle(params)
  // Anyone with the token may read the page before a browser opens the session.
  const accountName =
    page.startToken === undefined ? (page.account?.name ?? definition.name) : definition.name
  const submissionId = view.submissionId ?? generateSubmissionId()
  // A rejected form shows the error first; the warning was shown before.
  const custom = isCustomIntegration(definition) ? customNotice(page, view) : ''
  const main = html`${pageHeader(page, { back, hasTiles: true })}${stateHeader({
    mark: [
      tile(workspaceName, page.logo),
      toolTile(definition.name, getIntegrationIcon(definition)),
    ],
    title,
    body: message?.body,
  })}${errorSummary(page, view)}${feedback === undefined ? custom : ''}
${accountName === definition.name ? '' : html`<p><strong><bdi>${accountName}</bdi></strong></p>`}
${scopeList(page, view)}
${renderForm(page, view, submissionId)}
${alternatives(page, view)}
${feedback === undefined ? '' : custom}
<p class="quiet">${formNote(messages, view, params)}</p>
${waitingTemplates(page, definition.name)}${ERROR_LINE_TEMPLATE}`
  return {
    state: feedback === undefined ? state : 'failed',
    status: feedback?.status ?? 200,
    title: feedback?.summary ?? title,
    main,
    formActionCsp: view.formActionCsp,
    data: {
      'data-attempt': submissionId,
      'data-kind': state,
      'data-key': definition.key,
      'data-code': feedback?.code,
      'data-temporary': feedback?.isTemporary === true,
    },
  }
}

/** The view with the texts of its fields in the language of the page. */
export function localizeView({ language }: PageContext, view: FormView): FormView {
  const { definition } = view.integration
  return {
    ...view,
    fields: localizeFields(view.fields, language, definition),
    lockedFields: localizeFields(view.lockedFields, language, definition),
  }
}

function formNote(
  { states, form }: Messages,
  { authMethod, fields }: FormView,
  params: Pick<MessageParams, 'workspace' | 'tool' | 'host'>,
): Text {
  if (authMethod.kind === 'sign_in') return states.beforeSignIn(params).body
  return hasSingleKey(fields) ? form.bodyForKey(params) : form.body(params)
}

function renderForm(
  page: PageContext,
  { integration, authMethod, fields, lockedFields, givenConfig, feedback }: FormView,
  submissionId: string,
): Html {
  const { action, portal } = page.messages
  const { name, key } = integration.definition
  const isSignIn = authMethod.kind === 'sign_in'
  const formAction = isSignIn ? 'sign-in' : 'connect'
  const named = { tool: name }
  const submitButton = isSignIn
    ? button({ text: action.continueTo(named), icon: 'external' })
    : button({ text: page.account === undefined ? action.connect(named) : portal.reconnect })
  return html`<form method="post" action="${buildFormUrl(page, formAction, { integration: key, auth: authMethod.authType })}" novalidate data-form="${formAction}" data-tool="${name}"${targetAttribute(page, isSignIn)}>
${hiddenInputs(hiddenFields(page, { integration, authMethod }, submissionId))}
${lockedFields.map(({ name, label }) => html`<p class="quiet"><bdi>${label}</bdi>: <strong><bdi>${String(givenConfig[name])}</bdi></strong></p>`)}
${renderFields(page.messages, fields, feedback)}
${actions(submitButton)}
</form>`
}

/** Small links to the other auth methods, below the one that is recommended. */
function alternatives(page: PageContext, { integration, authMethod }: FormView): Html | string {
  const isAlone = integration.available.length < 2 || page.window !== undefined
  if (isAlone || getDefaultAuthMethod(integration) !== authMethod) return ''
  const { q, category } = page.query
  const links = nameAuthMethods(page, integration)
    .slice(1)
    .map((other) => {
      const { authType: auth } = other.authMethod
      const href = buildPageUrl(page, {
        integration: integration.definition.key,
        auth,
        q,
        category,
      })
      const label = other.label === '' ? '' : html` <bdi>${other.label}</bdi>`
      return html`<a href="${href}" data-go data-auth="${auth}">${other.name}${label}</a>`
    })
  return html`<p class="alternatives">${links}</p>`
}

/** Template of an error line under a field, for the script. */
export const ERROR_LINE_TEMPLATE = html`<template data-words="error"><p class="error">${ICONS.alert}<span></span></p></template>`

/** A provider's page must not be framed: without the script, the form opens a new window. */
function targetAttribute({ mode }: PageContext, isSignIn: boolean): Html | string {
  return isSignIn && mode === 'frame' ? html` target="_blank"` : ''
}

/** What a form sends besides its fields. */
export function hiddenFields(
  { session, startToken, window }: PageContext,
  { integration, authMethod }: Pick<FormView, 'integration' | 'authMethod'>,
  submissionId: string,
): Record<string, string | undefined> {
  return {
    visit: sessionField(session),
    start: startToken,
    attempt: submissionId,
    integration: integration.definition.key,
    auth: authMethod.authType,
    // The name to show if the integration is no longer offered when the form arrives.
    tool: integration.definition.name,
    window: authMethod.kind === 'sign_in' ? (window ?? '') : undefined,
  }
}

function customNotice(
  { messages, workspaceName }: PageContext,
  { integration, authMethod }: FormView,
): Html {
  const params = {
    workspace: workspaceName,
    tool: integration.definition.name,
    host: authMethod.host ?? '',
  }
  const text =
    authMethod.kind === 'sign_in'
      ? messages.states.beforeSignIn(params).title
      : messages.form.custom(params)
  return notice({ kind: 'warning', text })
}

/** A form, and the feedback on a rejected one. */
export interface FormView extends FormStep {
  /** The unused ID of an earlier form; undefined for a new one. */
  readonly submissionId?: string | undefined
  readonly feedback?: FormFeedback | undefined
}

/** Generates the ID of a form: 128 random bits in base64url. A form is processed once. */
export function generateSubmissionId(): string {
  return randomBytes(16).toString('base64url')
}

/** Of a longer list, this many stay visible, and the rest is folded. */
const MAX_VISIBLE = 8
/** Custom definitions may name a scope with 4,096 characters. */
const MAX_LENGTH = 200

/** What a sign-in allows: every scope that it requests or, of an account that has some, those that are new; in words as far as there are any. */
function scopeList(
  page: PageContext,
  step: Pick<FormStep, 'integration' | 'authMethod'>,
): Html | string {
  const { messages, workspaceName: workspace, language } = page
  const scopes = listRequestedScopes(page, step)
  const granted = new Set(page.grant?.granted)
  const added = describeScopes(
    step,
    scopes.filter((scope) => !granted.has(scope)),
    language,
  )
  const isAddition = granted.size > 0 && added.length > 0
  const labels = isAddition ? added : describeScopes(step, scopes, language)
  const heading = isAddition ? messages.auth.newScopes : messages.auth.scopes
  if (labels.length === 0) return ''
  // Folding one or two would hide more than it saves.
  const visibleCount = labels.length > MAX_VISIBLE + 2 ? MAX_VISIBLE : labels.length
  const rest = labels.slice(visibleCount)
  const more = messages.auth.moreScopes({ count: rest.length })
  return html`<div class="scopes"><h2>${heading({ workspace })}</h2>
${renderLabels(labels.slice(0, visibleCount))}${
  rest.length === 0
    ? ''
    : html`
<details><summary>${more}</summary>${renderLabels(rest)}</details>`
}</div>`
}

/** The scopes that the sign-in requests. */
function listRequestedScopes(
  { account, grant, connectSession, link }: PageContext,
  { integration, authMethod }: Pick<FormStep, 'integration' | 'authMethod'>,
): readonly string[] {
  if (authMethod.scopes === undefined) return []
  const { definition, appScopes = NO_SCOPES } = integration
  const { definitionId } = definition
  const chosen = connectSession?.scopes[definitionId] ?? link.scopes[definitionId]
  const current = account && (grant ?? UNKNOWN_GRANT)
  return planScopes(authMethod.scopes.type, appScopes, chosen, current).requestedScopes
}

function renderLabels(labels: readonly string[]): Html {
  return html`<ul role="list">${labels.map((label) => html`<li><bdi>${label}</bdi></li>`)}</ul>`
}

/**
 * The labels of scopes, in the language of the page if there is one: those of the spec, else the
 * catalogue's, else the name of the scope. Scopes of the protocol are omitted without a label.
 */
function describeScopes(
  { integration, authMethod }: Pick<FormStep, 'integration' | 'authMethod'>,
  scopes: readonly string[],
  language: Language,
): string[] {
  const { definition } = integration
  const texts = authMethod.scopes?.texts
  const isFromCatalogue = isCatalogueDefinition(definition)
  const labels = scopes.flatMap((scope) => {
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

function findLabel(
  labels: Readonly<Record<string, unknown>> | null | undefined,
  scope: string,
): string | undefined {
  // Specs that were stored by an earlier release were not validated here.
  const label = labels != null && Object.hasOwn(labels, scope) ? labels[scope] : undefined
  return typeof label === 'string' ? label : undefined
}
