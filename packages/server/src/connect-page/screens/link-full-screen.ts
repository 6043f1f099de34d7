import { notice } from '../../ui/header.ts'
import { html } from '../../ui/html.ts'
import type { LinkLimitReason } from '../integrations/link-limit-reason.ts'
import type { PageContext } from '../page/page-context.ts'
import type { Screen } from '../page/screen.ts'
import { statusScreen } from '../page/status-screen.ts'
import type { SessionAccount } from '../stores/submission-store.ts'
import { accountNames } from './account-names.ts'
import { doneButton, pageHeader } from './page-header.ts'

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
  const accounts = all.filter(({ account_identifier }) => account_identifier === identifier)
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
    tool: lastAccount.definition_name,
    workspace: workspaceName,
    account: lastAccount.account_name,
  }
  const message =
    lastAccount.account_name === lastAccount.definition_name
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
