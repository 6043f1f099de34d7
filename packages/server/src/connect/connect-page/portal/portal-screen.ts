import type { AccountStatus } from '../../../accounts/accounts/account.ts'
import type { PortalAccount, PortalCounts } from '../../../accounts/accounts/portal-account.ts'
import type { Text } from '../../../platform/i18n/localized-text.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { actions, button } from '../../../platform/ui/button.ts'
import { stateHeader, tile } from '../../../platform/ui/header.ts'
import { type Attributes, attributes, type Html, html } from '../../../platform/ui/html.ts'
import { ICONS } from '../../../platform/ui/icons.ts'
import { rows } from '../../../platform/ui/list.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'
import { offlineTemplate } from '../screens/client-templates.ts'
import { getIntegrationBadges, getIntegrationIcon } from '../screens/integration-display.ts'
import { doneButton, pageHeader } from '../screens/page-header.ts'

interface PortalView {
  readonly accounts: readonly PortalAccount[]
  /** Whether there are more after the last one. */
  readonly hasMore: boolean
  readonly counts: PortalCounts
  readonly now: number
}

/** The accounts of a customer. */
export function portalScreen(page: PageContext, view: PortalView): Screen {
  const { accounts, hasMore, counts } = view
  const { messages, workspaceName: workspace } = page
  const { portal, action } = messages
  const isEmpty = accounts.length === 0
  const { title, body } = isEmpty
    ? portal.none({ workspace })
    : {
        title: portal.title({ workspace }),
        body:
          counts.broken === 0
            ? portal.body
            : portal.attention({ count: counts.broken, total: counts.total }),
      }
  const last = accounts.at(-1)
  const connect = button({
    text: isEmpty ? portal.connectFirst : action.connectAnother,
    // What needs attention comes first.
    kind: counts.broken === 0 ? 'primary' : 'quiet',
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
    isEmpty ? '' : rows(accounts.map((account) => accountRow(page, account, view.now)))
  }${actions(connect, more, doneButton(page, [], undefined, 'quiet'))}${offlineTemplate(page)}`
  return { state: isEmpty ? 'portalEmpty' : 'portal', status: 200, title, main }
}

function accountRow(page: PageContext, account: PortalAccount, now: number): Html {
  const { messages, workspaceName: workspace } = page
  const { definition, status } = account
  const badges = getIntegrationBadges(messages, definition)
  return html`<li class="account">${tile(definition.name, getIntegrationIcon(definition))}<div class="row-text"><span class="row-name"><bdi>${definition.name}</bdi>${badges.map(
    (mark) => html` <span class="badge" dir="auto">${mark}</span>`,
  )}</span>${accountLines(messages, account, now).map(
    (line) => html`<span class="row-line">${line}</span>`,
  )}${accountState(status, messages.portal, workspace)}${isBroken(account) ? reconnectLink(page, account) : ''}</div>${accountMenu(page, account)}</li>`
}

/** The name, who signed in, and since when; a name that says nothing new is left out. */
function accountLines({ portal }: Messages, account: PortalAccount, now: number): (Html | Text)[] {
  const { name, identityLabel, definition, createdAt, lastUsedAt } = account
  const isNamed = name !== definition.name && name !== identityLabel
  return [
    ...(isNamed ? [html`<bdi>${name}</bdi>`] : []),
    ...(identityLabel === null ? [] : [portal.signedInAs({ account: identityLabel })]),
    html`<span class="whole">${portal.connectedOn({ at: new Date(createdAt) })}</span> · <span class="whole">${describeUse(portal, lastUsedAt, now)}</span>`,
  ]
}

/** Days of the last week in words, earlier ones as dates. */
function describeUse(portal: Messages['portal'], lastUsedAt: number | null, now: number): Text {
  if (lastUsedAt === null) return portal.neverUsed
  const days = Math.max(0, Math.floor(now / DAY_MS) - Math.floor(lastUsedAt / DAY_MS))
  return days < 7
    ? portal.lastUsedAgo({ count: days })
    : portal.lastUsedOn({ at: new Date(lastUsedAt) })
}

const DAY_MS = 24 * 60 * 60_000

function isBroken({ status }: PortalAccount): boolean {
  return status === 'needs_reauth' || status === 'error'
}

/** Filled if only the person can help. */
function reconnectLink(page: PageContext, account: PortalAccount): Html {
  const { portal } = page.messages
  const { accountId, definition, status } = account
  return html`<span class="account-actions">${button({
    text: portal.reconnect,
    kind: status === 'needs_reauth' ? 'primary' : 'quiet',
    href: buildPageUrl(page, { reconnect: accountId }),
    attributes: {
      'aria-label': portal.reconnectAccount({
        tool: definition.name,
        account: getAccountLabel(account),
      }),
      ...ownDocument(page),
    },
  })}</span>`
}

/** What is rarely wanted. Works without a script. */
function accountMenu(page: PageContext, account: PortalAccount): Html {
  const { portal } = page.messages
  const { accountId, definition, status } = account
  const names = { tool: definition.name, account: getAccountLabel(account) }
  const reconnect =
    status === 'pending' || isBroken(account)
      ? ''
      : html`<a${attributes({
          href: buildPageUrl(page, { reconnect: accountId }),
          'aria-label': portal.reconnectAccount(names),
          ...ownDocument(page),
        })}>${portal.reconnect}</a>`
  return html`<details class="menu" name="menu"><summary${attributes({
    class: 'round',
    'aria-label': portal.more(names),
  })}>${ICONS.more}</summary><div class="menu-items">${reconnect}<a${attributes({
    class: 'danger',
    href: buildPageUrl(page, { disconnect: accountId }),
    'aria-label': portal.disconnectAccount(names),
    'data-go': true,
  })}>${portal.disconnect}</a></div></details>`
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
