import { type ReturnValues, returnUrl } from '../../connect/start/redirect-url.ts'
import { button } from '../../page/components/button.ts'
import { topBar } from '../../page/components/top-bar.ts'
import type { Html } from '../../page/html.ts'
import type { VisitAccount } from '../attempt/visit-attempt-store.ts'
import type { Page } from './page.ts'

/** The line over a screen: back, who asks, and the way out. */
export function pageBar(
  page: Page,
  { back, accounts = [] }: { back?: string | undefined; accounts?: readonly VisitAccount[] } = {},
): Html {
  const { words, by, logo } = page
  if (page.window !== undefined) return topBar({ workspace: { name: by, logo } })
  const href = exitUrl(page, accounts)
  const isFrame = page.mode === 'frame'
  return topBar({
    back:
      back === undefined
        ? undefined
        : {
            text: words.action.back,
            href: back,
            attributes: { 'data-go': true, 'data-back': true },
          },
    workspace: { name: by, logo },
    exit:
      href === undefined && !isFrame
        ? undefined
        : {
            text: words.action.close,
            href: isFrame ? undefined : href,
            // In a frame the script tells the page around it.
            attributes: { 'data-exit': true, hidden: isFrame },
          },
  })
}

/** The button that ends the visit: back to where the person came from; undefined when there is nowhere. */
export function doneButton(page: Page, accounts: readonly VisitAccount[]): Html | undefined {
  const { words, by } = page
  if (page.mode === 'frame')
    return button({
      text: words.action.done,
      attributes: { type: 'button', 'data-exit': true, hidden: true },
    })
  const href = exitUrl(page, accounts)
  return href === undefined
    ? undefined
    : button({
        text: words.action.returnTo({ workspace: by }),
        href,
        attributes: { 'data-exit': true },
      })
}

/** Back to the host, with the last account of this visit, or with `cancelled`. */
function exitUrl(page: Page, accounts: readonly VisitAccount[]): string | undefined {
  const { redirectURL } = page.query
  return redirectURL === undefined ? undefined : returnUrl(redirectURL, outcome(page, accounts))
}

function outcome({ link, query }: Page, accounts: readonly VisitAccount[]): ReturnValues {
  const last = accounts.at(-1)
  const accountIdentifier = last?.account_identifier ?? query.accountIdentifier ?? null
  const linkId = link.link_id
  if (last === undefined) return { success: 'false', error: 'cancelled', accountIdentifier, linkId }
  return {
    success: 'true',
    integrationName: last.definition_name,
    accountIdentifier,
    integrationAccountId: last.account_id,
    linkId,
  }
}
