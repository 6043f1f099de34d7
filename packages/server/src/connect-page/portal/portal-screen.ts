import type { AccountStatus } from '../../accounts/account.ts'
import type { PortalAccount } from '../../accounts/portal-account.ts'
import type { Text } from '../../i18n/localized-text.ts'
import type { Messages } from '../../i18n/messages.ts'
import { actions, button } from '../../ui/button.ts'
import { stateHeader, tile } from '../../ui/header.ts'
import { type Html, html } from '../../ui/html.ts'
import { ICONS } from '../../ui/icons.ts'
import { rows } from '../../ui/list.ts'
import type { Screen } from '../../ui/screen.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'
import { offlineTemplate } from '../screens/client-templates.ts'
import { getIntegrationBadges, getIntegrationIcon } from '../screens/integration-display.ts'
import { doneButton, pageHeader } from '../screens/page-header.ts'

interface PortalView {
  readonly accounts: readonly PortalAccount[]
  /** Whether there are more after the last one. */
  readonly hasMore: boolean
}

/** The accounts of a customer. */
export function portalScreen(page: PageContext, { accounts, hasMore }: PortalView): Screen {
  const { messages, workspaceName: workspace } = page
  const { portal, action } = messages
  const isEmpty = accounts.length === 0
  const { title, body } = isEmpty
    ? portal.none({ workspace })
    : { title: portal.title({ workspace }), body: portal.body }
  const last = accounts.at(-1)
  const connect = button({
    text: isEmpty ? portal.connectFirst : action.connectAnother,
    href: buildPageUrl(page, { view: 'connect' }),
    // A document of its own, whose policy allows the addresses of sign-ins.
    attributes: page.mode === 'frame' ? { 'data-go': true } : {},
  })
  const more =
    hasMore && last !== undefined
      ? button({
          text: portal.showMore,
          kind: 'quiet',
          href: buildPageUrl(page, { after: last.accountId }),
          attributes: { 'data-go': true },
        })
      : undefined
  const main = html`${pageHeader(page)}${stateHeader({ title, body })}${
    isEmpty ? '' : rows(accounts.map((account) => accountRow(page, account)))
  }${actions(connect, more, doneButton(page, [], undefined, 'quiet'))}${offlineTemplate(page)}`
  return { state: isEmpty ? 'portalEmpty' : 'portal', status: 200, title, main }
}

function accountRow(page: PageContext, account: PortalAccount): Html {
  const { messages, workspaceName: workspace } = page
  const { accountId, definition, identityLabel, createdAt, lastUsedAt } = account
  const { portal } = messages
  const label = getAccountLabel(account)
  const isNamed = label !== definition.name
  const identity =
    identityLabel === null
      ? isNamed && html`<bdi>${label}</bdi>`
      : portal.signedInAs({ account: identityLabel })
  const custom =
    identityLabel !== null && account.name !== definition.name && account.name !== identityLabel
  const lines: (Html | Text | false)[] = [
    custom && html`<bdi>${account.name}</bdi>`,
    identity,
    html`${portal.connectedOn({ at: new Date(createdAt) })} · ${
      lastUsedAt === null ? portal.neverUsed : portal.lastUsedOn({ at: new Date(lastUsedAt) })
    }`,
  ]
  return html`<li class="account">${tile(definition.name, getIntegrationIcon(definition))}<div class="row-text"><span class="row-name"><bdi>${definition.name}</bdi>${getIntegrationBadges(
    messages,
    definition,
  ).map((mark) => html` <span class="badge" dir="auto">${mark}</span>`)}</span>${lines
    .filter((line) => line !== false)
    .map((line) => html`<span class="row-line">${line}</span>`)}${state(
    account.status,
    portal,
    workspace,
  )}<span class="account-actions"><a href="${buildPageUrl(page, { disconnect: accountId })}" data-go aria-label="${portal.disconnectAccount({ tool: definition.name, account: label })}">${portal.disconnect}</a></span></div></li>`
}

/** The state in words, with an icon, so that it does not depend on color alone. */
function state(status: AccountStatus, portal: Messages['portal'], workspace: string): Html {
  const [kind, icon, text] = {
    active: ['good', ICONS.check, portal.active],
    needs_reauth: ['bad', ICONS.alert, portal.needsReauth],
    error: ['warning', ICONS.alert, portal.error({ workspace })],
    pending: ['info', ICONS.clock, portal.pending({ workspace })],
  }[status] as [string, Html, Text]
  return html`<span class="account-state ${kind}">${icon}<span>${text}</span></span>`
}

/** What tells an account from another one of the same tool. */
export function getAccountLabel({ identityLabel, name }: PortalAccount): string {
  return identityLabel ?? name
}
