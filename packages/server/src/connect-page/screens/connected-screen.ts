import { button } from '../../ui/button.ts'
import { notice } from '../../ui/header.ts'
import { type Html, html } from '../../ui/html.ts'
import type { LinkLimitReason } from '../integrations.ts'
import { type PageContext, pageUrl } from '../page/page-context.ts'
import { type Screen, statusScreen } from '../page/screen.ts'
import type { SessionAccount } from '../stores/submission.ts'
import { messageAccount } from '../submission/get-submission.ts'
import { doneButton, pageHeader } from './page-header.ts'

/** Shows a connected account and how to continue. `isResubmission`: the form had already been submitted. */
export function connectedScreen(
  page: PageContext,
  account: SessionAccount,
  {
    submissionId,
    isResubmission = false,
  }: { readonly submissionId: string; readonly isResubmission?: boolean },
): Screen {
  const { messages, workspaceName, link, query } = page
  const params = {
    tool: account.definitionName,
    workspace: workspaceName,
    account: account.accountName,
  }
  const message =
    account.accountName === account.definitionName
      ? messages.states.connected(params)
      : messages.states.connectedAs(params)
  const hasSingleIntegration = link.definitionId !== null || isSingleKey(query.integrationKeys)
  const another = hasSingleIntegration
    ? undefined
    : button({
        text: messages.action.connectAnother,
        kind: 'quiet',
        href: pageUrl(page),
        attributes: { 'data-go': true },
      })
  const displayed = isResubmission
    ? { ...messages.states.alreadyFinished(params), title: message.title }
    : message
  return statusScreen(isResubmission ? 'alreadyFinished' : 'connected', displayed, {
    mark: 'good',
    header: pageHeader(page, { accounts: [account] }),
    buttons: [doneButton(page, [account]), another],
    data: {
      'data-attempt': submissionId,
      'data-account': JSON.stringify(messageAccount(page, account)),
    },
  })
}

function isSingleKey(keys: string | undefined): boolean {
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

function doneScreen(
  page: PageContext,
  accounts: readonly SessionAccount[],
  lastAccount: SessionAccount,
): Screen {
  const { messages, workspaceName } = page
  const params = {
    tool: lastAccount.definitionName,
    workspace: workspaceName,
    account: lastAccount.accountName,
  }
  const message =
    lastAccount.accountName === lastAccount.definitionName
      ? messages.states.connected(params)
      : messages.states.connectedAs(params)
  const screen = statusScreen('alreadyFinished', message, {
    mark: 'good',
    header: pageHeader(page, { accounts }),
    buttons: [doneButton(page, accounts)],
  })
  if (accounts.length < 2) return screen
  const text = html`${messages.picker.connectedHere}: ${accountNames(accounts)}`
  return { ...screen, main: html`${screen.main}${notice({ kind: 'good', text })}` }
}

/** The connected accounts, comma-separated: the integration, and the account name where it differs. */
export function accountNames(accounts: readonly SessionAccount[]): Html[] {
  return accounts.map(({ definitionName: integrationName, accountName: name }, index) => {
    const label =
      name === integrationName
        ? html`<bdi>${integrationName}</bdi>`
        : html`<bdi>${integrationName}</bdi> (<bdi>${name}</bdi>)`
    return html`${index === 0 ? '' : ', '}${label}`
  })
}
