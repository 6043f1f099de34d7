import { button } from '../../ui/components/button.ts'
import type { SessionAccount } from '../submission/submission-store.ts'
import { type PageContext, pageUrl } from './page-context.ts'
import { doneButton, pageHeader } from './page-header.ts'
import type { Screen } from './screen.ts'
import { statusScreen } from './status-screen.ts'

/** All is well: what was connected, and the ways on. `again` says that the form had been used before. */
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
    tool: account.definition_name,
    workspace: workspaceName,
    account: account.account_name,
  }
  const message =
    account.account_name === account.definition_name
      ? messages.states.connected(params)
      : messages.states.connectedAs(params)
  const hasSingleIntegration = link.definition_id !== null || isSingleKey(query.integrationKeys)
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

/** What the page around a frame, and the script, may know of an account: ids and names. */
export function messageAccount(
  { link }: { readonly link: Pick<PageContext['link'], 'link_id'> },
  account: SessionAccount,
) {
  return {
    integrationAccountId: account.account_id,
    integrationAccountName: account.account_name,
    integrationDefinitionId: account.definition_id,
    integrationName: account.definition_name,
    integrationKey: account.definition_key,
    accountIdentifier: account.account_identifier,
    linkId: link.link_id,
  }
}

function isSingleKey(keys: string | undefined): boolean {
  return keys !== undefined && !keys.includes(',')
}
