import { getIntegrationIcon } from '../../../integrations/catalogue/integration-icon.ts'
import type { Definition } from '../../../integrations/definitions/definition.ts'
import type { OAuthType } from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import { type Text, t } from '../../../platform/i18n/localized-text.ts'
import { actions, button, field } from '../../../platform/ui/field.ts'
import {
  hiddenInputs,
  joinedTiles,
  notice,
  stateHeader,
  tile,
  toolTile,
} from '../../../platform/ui/header.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import { buildPageUrl, getPagePath, type PageContext } from '../page/page-context.ts'
import { sessionField } from '../page/page-session.ts'
import { pageHeader } from '../screens/page-header.ts'

/** What a page needs on which an administrator enters an OAuth app. */
export interface AppSetup {
  readonly definition: Definition
  readonly type: OAuthType
  /** The redirect URI to register. */
  readonly redirectUri: string
  /** The steps at the provider; empty for general ones. */
  readonly steps: readonly string[]
  /** The scopes that the app must be allowed to request. */
  readonly scopes: readonly string[]
}

/** The fields of the form. */
export const APP_FIELDS = ['issuer', 'clientId', 'clientSecret', 'redirectName'] as const
export type AppField = (typeof APP_FIELDS)[number]

/** What a test of an app can find on the page. */
export type AppProblem = 'client' | 'unreachable' | 'redirectUri' | 'notAllowed'

/** Feedback on a form that was not stored. */
export interface AppFeedback {
  /** The entered values, without the secret. */
  readonly entered: Partial<Record<Exclude<AppField, 'clientSecret'>, string | null>>
  readonly errors: Partial<Record<AppField, Text>>
  /** What the test found. */
  readonly problems: readonly AppProblem[]
}

/** The form in which a customer's administrator enters an OAuth app, below what to do at the provider. */
export function appSetupScreen(page: PageContext, setup: AppSetup, feedback?: AppFeedback): Screen {
  const { messages, workspaceName } = page
  const params = { tool: setup.definition.name, workspace: workspaceName }
  const { title, body } = messages.setup.form(params)
  const query = new URL(buildPageUrl(page), 'http://page').search
  return {
    state: 'appSetup',
    status: feedback === undefined ? 200 : 422,
    title,
    main: html`${pageHeader(page, { hasTiles: true })}${stateHeader({
      mark: [
        tile(workspaceName, page.logo),
        toolTile(setup.definition.name, getIntegrationIcon(setup.definition)),
      ],
      title,
      body,
    })}${feedback === undefined ? '' : renderFeedback(page, setup, feedback)}
${renderSteps(page, setup)}
<form method="post" action="${getPagePath(page.pageId)}/app${query}" novalidate>
${hiddenInputs({ visit: sessionField(page.session) })}
${renderFields(page, setup, feedback)}
${renderActions(page, feedback)}
</form>
<p class="quiet">${messages.setup.note(params)}</p>`,
    formActionCsp: { sameOriginOnly: true, formOrigins: [] },
  }
}

/** The OAuth app is stored: its administrator may connect at once. */
export function appSavedScreen(page: PageContext, { definition }: AppSetup): Screen {
  const { messages, workspaceName } = page
  const { title, body } = messages.setup.saved({ tool: definition.name, workspace: workspaceName })
  const href = buildPageUrl(page, { view: 'connect' })
  return {
    state: 'appSaved',
    status: 200,
    title,
    main: html`${pageHeader(page, { hasTiles: true })}${stateHeader({
      mark: joinedTiles(
        tile(workspaceName, page.logo),
        toolTile(definition.name, getIntegrationIcon(definition)),
      ),
      title,
      body,
    })}
${actions(button({ text: messages.setup.connectNow, href }))}`,
    formActionCsp: { sameOriginOnly: true, formOrigins: [] },
  }
}

function renderFeedback(
  { messages, workspaceName: workspace }: PageContext,
  { definition: { name: tool } }: AppSetup,
  { problems, errors }: AppFeedback,
): Html {
  const { setup, form } = messages
  const lines = problems.map((problem) => setup.problems[problem]({ tool, workspace }))
  const text =
    lines.length === 0
      ? html`<strong>${form.fieldErrors({ count: Object.keys(errors).length })}</strong>`
      : html`<strong>${lines.map((line, index) => html`${index === 0 ? '' : html`<br>`}${line}`)}</strong><br>${setup.failed}`
  return notice({ kind: 'bad', text, attributes: { role: 'alert', tabindex: -1, autofocus: true } })
}

function renderSteps(
  { messages: { setup } }: PageContext,
  { definition: { name: tool }, steps, redirectUri, scopes }: AppSetup,
): Html {
  const general = [setup.createApp({ tool }), setup.enterAddress, setup.copyDetails]
  const all = steps.length === 0 ? general : steps.map((step) => t`${step}`)
  return html`<section class="setup"><h2>${setup.steps({ tool })}</h2>
<ol>${all.map((step) => html`<li>${step}</li>`)}</ol>
<div class="copied"><h3>${setup.redirectUri}</h3><p><code>${redirectUri}</code></p><p class="help">${setup.redirectUriHelp}</p></div>
${
  scopes.length === 0
    ? ''
    : html`<details class="copied"><summary>${setup.scopes} (${scopes.length})</summary><ul role="list">${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul></details>`
}</section>`
}

function renderFields(
  { messages }: PageContext,
  { type }: AppSetup,
  { entered, errors }: AppFeedback = { entered: {}, errors: {}, problems: [] },
): Html {
  const { setup } = messages
  const redirectName = type.redirectName
  return html`<h2 class="setup-details">${setup.details}</h2>
${
  type.discoveredFrom === undefined
    ? ''
    : field({
        messages,
        id: 'issuer',
        name: 'issuer',
        label: setup.issuer,
        kind: 'text',
        isRequired: true,
        value: entered.issuer ?? undefined,
        help: setup.issuerHelp,
        error: errors.issuer,
        attributes: { dir: 'ltr', maxlength: 2_048, inputmode: 'url' },
      })
}
${field({
  messages,
  id: 'client-id',
  name: 'clientId',
  label: setup.clientId,
  kind: 'text',
  isRequired: true,
  value: entered.clientId ?? undefined,
  error: errors.clientId,
  attributes: { dir: 'ltr', maxlength: 1_024 },
})}
${field({
  messages,
  id: 'client-secret',
  name: 'clientSecret',
  label: setup.clientSecret,
  kind: 'secret',
  isRequired: false,
  help: setup.clientSecretHelp,
  error: errors.clientSecret,
  attributes: { maxlength: 8_192 },
})}
${
  redirectName === undefined
    ? ''
    : field({
        messages,
        id: 'redirect-name',
        name: 'redirectName',
        label: redirectName,
        kind: 'text',
        isRequired: true,
        value: entered.redirectName ?? undefined,
        error: errors.redirectName,
        attributes: { dir: 'ltr', maxlength: 1_024 },
      })
}`
}

function renderActions({ messages: { setup } }: PageContext, feedback?: AppFeedback): Html {
  const canSave = feedback !== undefined && feedback.problems.length > 0
  return actions(
    button({ text: setup.check }),
    canSave
      ? button({
          text: setup.saveAnyway,
          kind: 'quiet',
          attributes: { name: 'save', value: 'anyway' },
        })
      : undefined,
  )
}
