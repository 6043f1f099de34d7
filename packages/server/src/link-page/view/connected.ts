import { button } from '../../page/components/button.ts'
import type { VisitAccount } from '../attempt/visit-attempt-store.ts'
import { type Page, pageUrl } from './page.ts'
import type { Screen } from './screen.ts'
import { toldScreen } from './told.ts'
import { doneButton, pageBar } from './way-out.ts'

/** All is well: what was connected, and the ways on. `again` says that the form had been used before. */
export function connectedScreen(
  page: Page,
  account: VisitAccount,
  { attempt, again = false }: { readonly attempt: string; readonly again?: boolean },
): Screen {
  const { words, by, link, query } = page
  const facts = {
    tool: account.definition_name,
    workspace: by,
    account: account.account_name,
  }
  const told =
    account.account_name === account.definition_name
      ? words.states.connected(facts)
      : words.states.connectedAs(facts)
  const isOnly = link.definition_id !== null || isOne(query.integrationKeys)
  const another = isOnly
    ? undefined
    : button({
        text: words.action.connectAnother,
        kind: 'quiet',
        href: pageUrl(page),
        attributes: { 'data-go': true },
      })
  const shown = again ? { ...words.states.alreadyFinished(facts), title: told.title } : told
  return toldScreen(again ? 'alreadyFinished' : 'connected', shown, {
    mark: 'good',
    bar: pageBar(page, { accounts: [account] }),
    buttons: [doneButton(page, [account]), another],
    data: {
      'data-attempt': attempt,
      'data-account': JSON.stringify(messageAccount(page, account)),
    },
  })
}

/** What the page around a frame, and the script, may know of an account: ids and names. */
export function messageAccount(
  { link }: { readonly link: Pick<Page['link'], 'link_id'> },
  account: VisitAccount,
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

function isOne(keys: string | undefined): boolean {
  return keys !== undefined && !keys.includes(',')
}
