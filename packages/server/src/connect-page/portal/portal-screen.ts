import type { AccountStatus } from '../../accounts/account.ts'
import type { PortalAccount } from '../../accounts/portal-account.ts'
import type { Text } from '../../i18n/localized-text.ts'
import type { Messages } from '../../i18n/messages.ts'
import { actions, button } from '../../ui/button.ts'
import { stateHeader, tile } from '../../ui/header.ts'
import { type Attributes, attributes, type Html, html } from '../../ui/html.ts'
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
    attributes: ownDocument(page),
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
  const { definition, status } = account
  const badges = getIntegrationBadges(messages, definition)
  return html`<li class="account">${tile(definition.name, getIntegrationIcon(definition))}<div class="row-text"><span class="row-name"><bdi>${definition.name}</bdi>${badges.map(
    (mark) => html` <span class="badge" dir="auto">${mark}</span>`,
  )}</span>${accountLines(messages, account).map(
    (line) => html`<span class="row-line">${line}</span>`,
  )}${accountState(status, messages.portal, workspace)}${accountActions(page, account)}</div></li>`
}

/** The name, who signed in, and since when; a name that says nothing new is left out. */
function accountLines({ portal }: Messages, account: PortalAccount): (Html | Text)[] {
  const { name, identityLabel, definition, createdAt, lastUsedAt } = account
  const isNamed = name !== definition.name && name !== identityLabel
  const used =
    lastUsedAt === null ? portal.neverUsed : portal.lastUsedOn({ at: new Date(lastUsedAt) })
  return [
    ...(isNamed ? [html`<bdi>${name}</bdi>`] : []),
    ...(identityLabel === null ? [] : [portal.signedInAs({ account: identityLabel })]),
    portal.connectedOn({ at: new Date(createdAt) }),
    used,
  ]
}

function accountActions(page: PageContext, account: PortalAccount): Html {
  const { portal } = page.messages
  const { accountId, definition, status } = account
  const names = { tool: definition.name, account: getAccountLabel(account) }
  const reconnect =
    status === 'pending'
      ? ''
      : html`<a${attributes({
          href: buildPageUrl(page, { reconnect: accountId }),
          'aria-label': portal.reconnectAccount(names),
          ...ownDocument(page),
        })}>${portal.reconnect}</a>`
  return html`<span class="account-actions">${reconnect}<a${attributes({
    href: buildPageUrl(page, { disconnect: accountId }),
    'aria-label': portal.disconnectAccount(names),
    'data-go': true,
  })}>${portal.disconnect}</a></span>`
}

/** For links to forms: a document of its own, whose policy allows the addresses of sign-ins. A frame would lose its session. */
function ownDocument({ mode }: PageContext): Attributes {
  return mode === 'frame' ? { 'data-go': true } : {}
}

/** The state in words, with an icon, so that it does not depend on color alone. */
function accountState(status: AccountStatus, portal: Messages['portal'], workspace: string): Html {
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
