import { getWorkspaceHeading } from '../../../platform/i18n/get-messages.ts'
import { button } from '../../../platform/ui/button.ts'
import { topBar } from '../../../platform/ui/header.ts'
import type { Html } from '../../../platform/ui/html.ts'
import type { SessionAccount } from '../../links/submissions/submission.ts'
import { buildReturnUrl, type ReturnParams } from '../../oauth-flow/session/redirect-url.ts'
import { buildPortalUrl, isPortal, type PageContext } from '../page/page-context.ts'

/** The bar above a screen: back link, workspace, and close link. `hasTiles`: without the workspace, whose tile is below it. */
export function pageHeader(
  page: PageContext,
  {
    back,
    accounts = [],
    confirmToken,
    hasTiles = false,
  }: {
    back?: string | undefined
    accounts?: readonly SessionAccount[]
    confirmToken?: string | undefined
    hasTiles?: boolean
  } = {},
): Html {
  const { messages, workspaceName, logo } = page
  const workspace = hasTiles
    ? undefined
    : { name: getWorkspaceHeading(workspaceName, messages), logo }
  if (page.window !== undefined) return topBar({ workspace })
  // The URL has the `accountIdentifier`, which is not for everyone with the token.
  const href = page.startToken === undefined ? getExitUrl(page, accounts, confirmToken) : undefined
  const backUrl = back ?? getPortalUrl(page)
  const isFrame = page.mode === 'frame'
  return topBar({
    back:
      backUrl === undefined
        ? undefined
        : {
            text: messages.action.back,
            href: backUrl,
            attributes: { 'data-go': true, 'data-back': true },
          },
    workspace,
    exit:
      href === undefined && !isFrame
        ? undefined
        : {
            text: messages.action.close,
            href: isFrame ? undefined : href,
            // In a frame the script notifies the host page.
            attributes: { 'data-exit': true, hidden: isFrame },
          },
  })
}

/** The button that leaves the page: back to the redirect URL, or closes the frame. Undefined without a redirect URL. */
export function doneButton(
  page: PageContext,
  accounts: readonly SessionAccount[],
  confirmToken?: string,
  kind?: 'quiet',
): Html | undefined {
  const { messages, workspaceName } = page
  if (page.mode === 'frame')
    return button({
      text: messages.action.done,
      kind,
      attributes: { type: 'button', 'data-exit': true, hidden: true },
    })
  const href = getExitUrl(page, accounts, confirmToken)
  return href === undefined
    ? undefined
    : button({
        text: messages.action.returnTo({ workspace: workspaceName }),
        kind,
        href,
        attributes: { 'data-exit': true },
      })
}

/** The list of a portal, unless the page shows it; undefined without a portal. */
function getPortalUrl(page: PageContext): string | undefined {
  if (page.connectSession?.mode !== 'manage' || isPortal(page)) return undefined
  return buildPortalUrl(page)
}

/** The redirect URL with the last account of the session, or with `cancelled`. */
function getExitUrl(
  page: PageContext,
  accounts: readonly SessionAccount[],
  confirmToken: string | undefined,
): string | undefined {
  const { redirectURL } = page.query
  return redirectURL === undefined
    ? undefined
    : buildReturnUrl(redirectURL, {
        ...getReturnValues(page, accounts),
        confirmToken: confirmToken ?? null,
      })
}

function getReturnValues(
  { link, connectSession, query }: PageContext,
  accounts: readonly SessionAccount[],
): ReturnParams {
  const lastAccount = accounts.at(-1)
  const accountIdentifier = lastAccount?.accountIdentifier ?? query.accountIdentifier ?? null
  // A session does not reveal its link, through which anyone could connect.
  const origin =
    connectSession === undefined
      ? { linkId: link.linkId }
      : { connectSessionId: connectSession.connectSessionId }
  if (lastAccount === undefined)
    return { success: 'false', error: 'cancelled', accountIdentifier, ...origin }
  return {
    success: 'true',
    integrationName: lastAccount.definitionName,
    accountIdentifier,
    integrationAccountId: lastAccount.accountId,
    ...origin,
  }
}
