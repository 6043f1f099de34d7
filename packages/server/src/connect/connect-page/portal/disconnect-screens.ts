import type { PortalAccount } from '../../../accounts/accounts/portal-account.ts'
import type { GrantRevocationOutcome } from '../../../accounts/accounts/token-refresh/revocation/revoke-grant.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { actions, button } from '../../../platform/ui/button.ts'
import { stateHeader, tile } from '../../../platform/ui/header.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import { hiddenInputs } from '../../../platform/ui/list.ts'
import { type Screen, statusScreen } from '../../../platform/ui/screen.ts'
import {
  buildPortalUrl,
  getPagePath,
  type PageContext,
  serializePageQuery,
} from '../page/page-context.ts'
import { getIntegrationIcon } from '../screens/integration-display.ts'
import { pageHeader } from '../screens/page-header.ts'
import { sessionField } from '../session/page-session.ts'
import { getAccountLabel } from './portal-screen.ts'

/** Asks whether to disconnect an account. */
export function disconnectScreen(page: PageContext, account: PortalAccount): Screen {
  const { messages, workspaceName: workspace, mode, query } = page
  const { portal } = messages
  const tool = account.definition.name
  const { title, body } = portal.ask({ tool, workspace })
  const label = getAccountLabel(account)
  const search = serializePageQuery(query)
  const action = `${getPagePath(page.pageId, mode)}/disconnect${search === '' ? '' : `?${search}`}`
  const mark = [tile(tool, getIntegrationIcon(account.definition))]
  const main = html`${pageHeader(page, { back: buildPortalUrl(page) })}${stateHeader({ mark, title, body })}
${label === tool ? '' : html`<p><strong><bdi>${label}</bdi></strong></p>`}
<form method="post" action="${action}" data-form="open">
${hiddenInputs({ visit: sessionField(page.session), account: account.accountId })}
${actions(button({ text: portal.confirm({ tool }), kind: 'danger' }), portalButton(page, portal.keep))}
</form>`
  return { state: 'disconnect', status: 200, title, main }
}

/** Says what became of the access at the provider. */
export function disconnectedScreen(
  page: PageContext,
  { definition: { name: tool } }: PortalAccount,
  revocation: GrantRevocationOutcome | null,
): Screen {
  const { portal } = page.messages
  const message = {
    title: portal.disconnected({ tool }),
    body: portal[OUTCOMES[revocation ?? 'nothing']]({ tool }),
  }
  return statusScreen('disconnected', message, {
    mark: revocation === 'failed' ? 'warning' : 'good',
    header: pageHeader(page),
    buttons: [portalButton(page, portal.yourConnections, 'primary')],
  })
}

const OUTCOMES = {
  revoked: 'revoked',
  unsupported: 'revocationUnsupported',
  failed: 'revocationFailed',
  shared: 'grantShared',
  nothing: 'nothingToRevoke',
} as const satisfies Readonly<Record<GrantRevocationOutcome | 'nothing', keyof Messages['portal']>>

/** An account that is deleted, that never existed, or that belongs to another customer: always the same. */
export function goneScreen(page: PageContext): Screen {
  const { portal } = page.messages
  return statusScreen('disconnectGone', portal.gone({}), {
    status: 404,
    header: pageHeader(page),
    buttons: [portalButton(page, portal.yourConnections, 'primary')],
  })
}

/** Leads to the list. */
function portalButton(page: PageContext, text: string, kind: 'primary' | 'quiet' = 'quiet'): Html {
  const href = buildPortalUrl(page)
  return button({ text, kind, href, attributes: { 'data-go': true } })
}
