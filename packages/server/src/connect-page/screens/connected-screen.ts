import { button } from '../../ui/button.ts'
import { type PageContext, pageUrl } from '../page/page-context.ts'
import type { Screen } from '../page/screen.ts'
import { statusScreen } from '../page/status-screen.ts'
import type { SessionAccount } from '../stores/submission-store.ts'
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
    tool: account.definition_name,
    workspace: workspaceName,
    account: account.account_name,
  }
  const message =
    account.account_name === account.definition_name
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
