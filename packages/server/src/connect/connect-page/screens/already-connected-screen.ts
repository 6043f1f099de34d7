import type { DefinitionSummary } from '../../../integrations/definitions/definition.ts'
import { actions, button } from '../../../platform/ui/button.ts'
import { notice, stateHeader, tile } from '../../../platform/ui/header.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import { hiddenInputs } from '../../../platform/ui/list.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import {
  buildFormUrl,
  buildPageUrl,
  getPagePath,
  type PageContext,
  serializePageQuery,
} from '../page/page-context.ts'
import { sessionField } from '../session/page-session.ts'
import { waitingTemplates } from './client-templates.ts'
import {
  ERROR_LINE_TEMPLATE,
  type FormView,
  generateSubmissionId,
  hiddenFields,
  localizeView,
} from './form-screen.ts'
import { getIntegrationIcon } from './integration-display.ts'
import { pageHeader } from './page-header.ts'
import { renderFields } from './render-fields.ts'

/**
 * Asks what to do with the credentials of a user who is connected already. The page contains no secrets: the script keeps what was
 * entered and hides the fields; without it, the person enters the secrets again.
 *
 * @param connectedAs the name of the user; undefined if it is not known any more
 */
export function existingKeyScreen(
  page: PageContext,
  formView: FormView,
  connectedAs: string | undefined,
): Screen {
  const { messages } = page
  const view = localizeView(page, formView)
  const { integration, authMethod, feedback, fields } = view
  const { definition } = integration
  const submissionId = view.submissionId ?? generateSubmissionId()
  const target = { integration: definition.key, auth: authMethod.authType }
  const reenter = feedback?.mustReenterSecret
    ? notice({
        kind: 'info',
        text: messages.form.reenterSecrets,
        attributes: { 'data-reenter': true },
      })
    : ''
  const screen = choiceScreen(page, definition, connectedAs, {
    action: buildFormUrl(page, 'connect', target),
    kind: 'connect',
    hidden: hiddenFields(page, view, submissionId),
    fields: html`<div data-kept>${reenter}${renderFields(messages, fields, feedback)}</div>`,
    back: buildPageUrl(page, target),
  })
  return {
    ...screen,
    status: 409,
    formActionCsp: view.formActionCsp,
    data: {
      'data-attempt': submissionId,
      'data-key': definition.key,
      // The script keeps the secrets.
      'data-temporary': true,
    },
  }
}

/** Asks what to do with the sign-in of a user who is connected already, whose tokens the service keeps until then. */
export function existingSignInScreen(
  page: PageContext,
  definition: DefinitionSummary,
  submissionId: string,
  connectedAs: string | undefined,
): Screen {
  const search = serializePageQuery(page.query)
  const path = `${getPagePath(page.pageId, page.mode)}/choose`
  const screen = choiceScreen(page, definition, connectedAs, {
    action: search === '' ? path : `${path}?${search}`,
    kind: 'open',
    hidden: { visit: sessionField(page.session), attempt: submissionId },
    fields: html``,
    back: buildPageUrl(page),
  })
  return { ...screen, data: { 'data-attempt': submissionId, 'data-key': definition.key } }
}

interface ChoiceForm {
  readonly action: string
  /** How the script sends it. */
  readonly kind: 'connect' | 'open'
  readonly hidden: Readonly<Record<string, string | undefined>>
  readonly fields: Html
  readonly back: string
}

function choiceScreen(
  page: PageContext,
  definition: DefinitionSummary,
  connectedAs: string | undefined,
  { action, kind, hidden, fields, back }: ChoiceForm,
): Screen {
  const { messages, workspaceName, logo } = page
  const { name: tool } = definition
  const message = messages.states.alreadyConnected({ tool, account: connectedAs ?? tool })
  const choose = (value: string) => ({ name: 'choice', value })
  const mark = [tile(workspaceName, logo), tile(tool, getIntegrationIcon(definition))]
  const main = html`${pageHeader(page, { back, hasTiles: true })}${stateHeader({ mark, ...message })}
<form method="post" action="${action}" novalidate data-form="${kind}" data-tool="${tool}">
${hiddenInputs(hidden)}
${fields}
${actions(
  button({ text: messages.action.updateConnection, attributes: choose('update') }),
  button({ text: messages.action.addConnection, kind: 'quiet', attributes: choose('add') }),
)}
</form>
${waitingTemplates(page, tool)}${ERROR_LINE_TEMPLATE}`
  return { state: 'alreadyConnected', status: 200, title: message.title, main }
}
