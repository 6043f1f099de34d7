import { getIntegrationIcon } from '../../../integrations/catalogue/integration-icon.ts'
import type { Definition, DefinitionSummary } from '../../../integrations/definitions/definition.ts'
import type { Message } from '../../../platform/i18n/messages.ts'
import { localizeBrandText } from '../../../platform/ui/branding.ts'
import { actions, button } from '../../../platform/ui/field.ts'
import {
  hiddenInputs,
  joinedTiles,
  notice,
  stateHeader,
  tile,
  toolTile,
} from '../../../platform/ui/header.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import { type Screen, statusScreen } from '../../../platform/ui/screen.ts'
import type { SessionAccount } from '../../attempts/submission.ts'
import { toMessageAccount } from '../get-submission.ts'
import type { LinkLimitReason } from '../integration-offer.ts'
import {
  buildFormUrl,
  buildPageUrl,
  buildPortalUrl,
  getPagePath,
  type PageContext,
  serializePageQuery,
} from '../page/page-context.ts'
import { sessionField } from '../page/page-session.ts'
import {
  ERROR_LINE_TEMPLATE,
  type FormView,
  generateSubmissionId,
  hiddenFields,
  localizeView,
} from './form-screen.ts'
import { doneButton, pageHeader, waitingTemplates } from './page-header.ts'
import { renderFields } from './render-fields.ts'

/** Shows a connected account and how to continue. `isResubmission`: the form had already been submitted. */
export function connectedScreen(
  page: PageContext,
  account: SessionAccount,
  {
    submissionId,
    definition,
    isResubmission = false,
    confirmToken,
  }: {
    readonly submissionId: string
    readonly definition?: Definition | undefined
    readonly isResubmission?: boolean
    readonly confirmToken?: string | undefined
  },
): Screen {
  const { messages, link, query } = page
  const message = connectedMessage(page, account)
  const isManaged = page.connectSession?.mode === 'manage'
  const hasSingleIntegration =
    link.definitionIds.length === 1 ||
    hasOneIntegrationKey(query.integrationKeys) ||
    isLastAccount(page)
  const connectAnotherButton =
    hasSingleIntegration && !isManaged
      ? undefined
      : button({
          text: isManaged ? messages.portal.yourConnections : messages.action.connectAnother,
          kind: 'quiet',
          href: isManaged ? buildPortalUrl(page) : buildPageUrl(page),
          attributes: { 'data-go': true },
        })
  const finished = messages.states.alreadyFinished({ tool: account.definitionName })
  const displayed = isResubmission ? { ...message, body: finished.body } : message
  const done = doneButton(page, [account], confirmToken)
  const icon = definition && getIntegrationIcon(definition)
  return statusScreen(isResubmission ? 'alreadyFinished' : 'connected', displayed, {
    mark: joinedTiles(tile(page.workspaceName, page.logo), toolTile(account.definitionName, icon)),
    note: html`${successNote(page)}${isResubmission || isManaged || done === undefined ? '' : returnNote(page)}`,
    header: pageHeader(page, { accounts: [account], confirmToken, hasTiles: true }),
    buttons: [done, connectAnotherButton],
    data: {
      'data-attempt': submissionId,
      'data-account': JSON.stringify({ ...toMessageAccount(page.pageId, account), confirmToken }),
    },
  })
}

/** The page returns by itself if its script runs; hidden until then. */
function returnNote({ mode, messages, workspaceName: workspace }: PageContext): Html | string {
  if (mode === 'frame') return ''
  const { action } = messages
  return html`<p class="quiet returning" data-returning hidden><span role="status" data-text="${action.returning({ workspace })}"></span> <button type="button">${action.stay}</button></p>`
}

/** What the workspace says about a connection. */
function successNote({ branding, language }: PageContext): Html | string {
  const text = localizeBrandText(branding?.texts?.success, language)
  return text === undefined ? '' : html`<p>${text}</p>`
}

/** Whether a connect session accepts no account after the one that was just connected. */
function isLastAccount({ connectSession }: PageContext): boolean {
  if (connectSession === undefined) return false
  const { mode, maxAccounts, completedAt } = connectSession
  return completedAt !== null || (mode !== 'manage' && maxAccounts === 1)
}

function hasOneIntegrationKey(keys: string | undefined): boolean {
  return keys !== undefined && !keys.includes(',')
}

/**
 * The link has reached its account limit, in total or for this account identifier. In the session that reached the limit it
 * shows the connected accounts as a success instead.
 */
export function linkFullScreen(
  page: PageContext,
  code: LinkLimitReason,
  all: readonly SessionAccount[],
): Screen {
  const { messages, workspaceName, query } = page
  const identifier = query.accountIdentifier ?? null
  const accounts = all.filter(({ accountIdentifier }) => accountIdentifier === identifier)
  const lastAccount = accounts.at(-1)
  if (lastAccount !== undefined) return doneScreen(page, accounts, lastAccount)
  const state = code === 'link_full' ? 'full' : 'identifierFull'
  return statusScreen(state, messages.states[state]({ workspace: workspaceName }), {
    status: 403,
    header: pageHeader(page),
    data: { 'data-code': code },
  })
}

/** A connect session that is completed: the accounts, of which there is at least one. */
export function finishedScreen(page: PageContext, accounts: readonly SessionAccount[]): Screen {
  const lastAccount = accounts.at(-1)
  if (lastAccount === undefined) throw new Error('no account was connected')
  return doneScreen(page, accounts, lastAccount)
}

function doneScreen(
  page: PageContext,
  accounts: readonly SessionAccount[],
  lastAccount: SessionAccount,
): Screen {
  const screen = statusScreen('alreadyFinished', connectedMessage(page, lastAccount), {
    mark: 'good',
    note: html`${successNote(page)}`,
    header: pageHeader(page, { accounts }),
    buttons: [doneButton(page, accounts)],
  })
  if (accounts.length < 2) return screen
  const text = html`${page.messages.picker.connectedHere}: ${listAccountNames(accounts)}`
  return { ...screen, main: html`${screen.main}${notice({ kind: 'good', text })}` }
}

/** Says that an account is connected, and under which name if it has one of its own. */
function connectedMessage(
  { messages: { states }, workspaceName: workspace }: PageContext,
  { definitionName: tool, accountName, identityLabel }: SessionAccount,
): Message {
  const account = accountName === tool ? (identityLabel ?? tool) : accountName
  return account === tool
    ? states.connected({ tool, workspace })
    : states.connectedAs({ tool, workspace, account })
}

/** The connected accounts, comma-separated: the integration, and the account name where it differs. */
export function listAccountNames(accounts: readonly SessionAccount[]): Html[] {
  return accounts.map(({ definitionName: integrationName, accountName: name }, index) => {
    const label =
      name === integrationName
        ? html`<bdi>${integrationName}</bdi>`
        : html`<bdi>${integrationName}</bdi> (<bdi>${name}</bdi>)`
    return html`${index === 0 ? '' : ', '}${label}`
  })
}

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
  const mark = [tile(workspaceName, logo), toolTile(tool, getIntegrationIcon(definition))]
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
