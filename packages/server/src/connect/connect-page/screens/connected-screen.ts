import type { Definition } from '../../../integrations/definitions/definition.ts'
import type { Message } from '../../../platform/i18n/messages.ts'
import { localizeBrandText } from '../../../platform/ui/brand-text.ts'
import { button } from '../../../platform/ui/button.ts'
import { joinedTiles, notice, tile } from '../../../platform/ui/header.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import { type Screen, statusScreen } from '../../../platform/ui/screen.ts'
import type { SessionAccount } from '../../links/submissions/submission.ts'
import type { LinkLimitReason } from '../integration-offer.ts'
import { buildPageUrl, buildPortalUrl, type PageContext } from '../page/page-context.ts'
import { toMessageAccount } from '../submission/get-submission.ts'
import { getIntegrationIcon } from './integration-display.ts'
import { doneButton, pageHeader } from './page-header.ts'

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
    mark: joinedTiles(tile(page.workspaceName, page.logo), tile(account.definitionName, icon)),
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
  return completedAt !== null || (mode === 'connect' && maxAccounts === 1)
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
