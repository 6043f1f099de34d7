import type { FastifyReply, FastifyRequest } from 'fastify'
import { deleteAccount } from '../../accounts/accounts/delete-account.ts'
import type { PortalAccount, PortalCounts } from '../../accounts/accounts/portal-account-store.ts'
import type { GrantRevocationOutcome } from '../../accounts/accounts/token-refresh/revocation/revoke-grant.ts'
import { AGENT_ACCESS, setAgentAccess } from '../../accounts/agents/agent-access.ts'
import type { AgentSession } from '../../accounts/agents/agent-session.ts'
import { endAgentSession } from '../../accounts/agents/end-agent-session.ts'
import { getIntegrationIcon } from '../../integrations/catalogue/integration-icon.ts'
import type { Text } from '../../platform/i18n/localized-text.ts'
import type { Messages } from '../../platform/i18n/messages.ts'
import { isId } from '../../platform/storage/id.ts'
import { actions, button } from '../../platform/ui/field.ts'
import { hiddenInputs, rows, stateHeader, toolTile } from '../../platform/ui/header.ts'
import { type Attributes, attributes, type Html, html, ICONS } from '../../platform/ui/html.ts'
import { type Screen, sendScreen, statusScreen } from '../../platform/ui/screen.ts'
import {
  findSessionAccount,
  getAccountScope,
  type SessionPolicy,
} from '../connect-sessions/connect-session.ts'
import type { ConnectPageDeps } from './connect-page-deps.ts'
import { loadFormPage, type PageRequest, refuse, sendRefusal } from './load/load-page.ts'
import {
  buildPageUrl,
  buildPortalFormUrl,
  buildPortalUrl,
  createPageActor,
  type PageContext,
} from './page/page-context.ts'
import { sessionField } from './page/page-session.ts'
import {
  type AgentActivityDeps,
  clientList,
  getAccountLabel,
  getAgentsScreen,
  listClients,
} from './portal-agents.ts'
import { getIntegrationBadges } from './screens/integration-display.ts'
import { doneButton, offlineTemplate, pageHeader } from './screens/page-header.ts'

export interface PortalDeps
  extends AgentActivityDeps,
    Pick<ConnectPageDeps, 'portalAccounts' | 'database' | 'now'> {}

/** Accounts on one page. */
export const PORTAL_PAGE_SIZE = 25

/** The screen of the portal that the URL selects: the list, or the question before disconnecting an account. */
export async function getPortal(deps: PortalDeps, page: PageContext): Promise<Screen> {
  const { portalAccounts, agentSessions, now } = deps
  const portal = getPortalPolicy(page)
  const scope = portal && getAccountScope(portal)
  if (portal === undefined || scope === undefined) throw new Error('The session is not a portal.')
  const { disconnect, agents, after } = page.query
  if (disconnect !== undefined) {
    const account = await findSessionAccount({ portalAccounts }, page.access, portal, disconnect)
    return account === undefined ? goneScreen(page) : disconnectScreen(page, account)
  }
  if (agents !== undefined) {
    const account = await findSessionAccount({ portalAccounts }, page.access, portal, agents)
    return account === undefined ? goneScreen(page) : getAgentsScreen(deps, page, account)
  }
  const [found, counts, hasAgents, clients] = await Promise.all([
    portalAccounts.list(page.access, scope, {
      limit: PORTAL_PAGE_SIZE + 1,
      after: after !== undefined && isId('acc', after) ? after : undefined,
    }),
    portalAccounts.count(page.access, scope),
    agentSessions.hasAny(page.access, page.workspace.workspaceId),
    listClients(deps, page),
  ])
  const accounts = found.slice(0, PORTAL_PAGE_SIZE)
  const hasMore = found.length > accounts.length
  return portalScreen(page, { accounts, hasMore, counts, hasAgents, clients, now: now() })
}

/** The session and the link of a page that is a portal; undefined for any other page. */
function getPortalPolicy({ connectSession, link }: PageContext): SessionPolicy | undefined {
  return connectSession?.mode === 'manage' ? { connectSession, link } : undefined
}

/**
 * Handles the form of the portal: deletes an account of the customer, and says what was revoked. The form must come from the page
 * itself, in the browser that the session is bound to. A second click finds the account gone.
 */
export async function disconnectAccount(
  deps: ConnectPageDeps,
  pageRequest: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const loaded = await loadPortalForm(deps, pageRequest, request)
  if (loaded.account === undefined) return sendScreen(reply, loaded.layout, loaded.screen)
  const { page, account, customer } = loaded
  const { revocation } = await deleteAccount(deps, customer, account.accountId, { by: 'customer' })
  return sendScreen(reply, page, disconnectedScreen(page, account, revocation))
}

/** Loads a form of the portal with the account that it is about; without that, the screen that says why. */
async function loadPortalForm(
  deps: ConnectPageDeps,
  pageRequest: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
) {
  const loaded = await loadFormPage(deps, request, pageRequest)
  if (loaded.page === undefined) return { ...loaded, account: undefined }
  const { page, form } = loaded
  const portal = getPortalPolicy(page)
  if (portal === undefined) return { ...refuse(page), account: undefined }
  const account = await findSessionAccount(deps, page.access, portal, form.get('account') ?? '')
  if (account === undefined) return { layout: page, screen: goneScreen(page), account }
  return { page, account, customer: createPageActor(page.access, request), form }
}

/**
 * Handles the form about agents: stores what they may do with an account of the customer, and shows it. The same form as for
 * disconnecting.
 */
export async function submitAgentAccess(
  deps: ConnectPageDeps,
  pageRequest: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const loaded = await loadPortalForm(deps, pageRequest, request)
  if (loaded.account === undefined) return sendScreen(reply, loaded.layout, loaded.screen)
  const { page, account, customer, form } = loaded
  const access = AGENT_ACCESS.find((each) => each === form.get('access'))
  if (access !== undefined)
    await setAgentAccess(deps, customer, account.accountId, access, 'customer')
  const agentAccess = access === undefined || access === 'full' ? null : access
  const isSaved = access !== undefined
  const changed = isSaved ? { ...account, agentAccess } : account
  return sendScreen(reply, page, await getAgentsScreen(deps, page, changed, isSaved))
}

/** Ends the access of a client, which the customer gave it, and shows the list again. A second click finds it ended. */
export async function endClientAccess(
  deps: ConnectPageDeps,
  pageRequest: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const loaded = await loadFormPage(deps, request, pageRequest)
  if (loaded.page === undefined) return sendRefusal(reply, loaded)
  const { page, form } = loaded
  if (getPortalPolicy(page) === undefined) return sendRefusal(reply, refuse(page))
  const clients = await listClients(deps, page)
  const client = clients.find(({ agentSessionId }) => agentSessionId === form.get('client'))
  if (client !== undefined) {
    const customer = createPageActor(page.access, request)
    await deps.database.transaction((trx) =>
      endAgentSession(deps, trx, customer, page.access.userId, client, { by: 'customer' }),
    )
  }
  return sendScreen(reply, page, await getPortal(deps, page))
}

interface PortalView {
  readonly accounts: readonly PortalAccount[]
  /** Whether there are more after the last one. */
  readonly hasMore: boolean
  readonly counts: PortalCounts
  /** Whether the workspace lets agents use accounts. */
  readonly hasAgents: boolean
  /** Those with which the customer has signed in. */
  readonly clients: readonly AgentSession[]
  readonly now: number
}

/** The accounts of a customer. */
function portalScreen(page: PageContext, view: PortalView): Screen {
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
    isEmpty ? '' : rows(accounts.map((account) => accountRow(page, account, view)))
  }${clientList(page, view.clients)}${actions(connect, more, doneButton(page, [], undefined, 'quiet'))}${offlineTemplate(page)}`
  return { state: isEmpty ? 'portalEmpty' : 'portal', status: 200, title, main }
}

function accountRow(
  page: PageContext,
  account: PortalAccount,
  { hasAgents, now }: PortalView,
): Html {
  const { messages, workspaceName: workspace } = page
  const { definition } = account
  const badges = getIntegrationBadges(messages, definition)
  return html`<li class="account">${toolTile(definition.name, getIntegrationIcon(definition))}<div class="row-text"><span class="row-name"><bdi>${definition.name}</bdi>${badges.map(
    (mark) => html` <span class="badge" dir="auto">${mark}</span>`,
  )}</span>${accountLines(messages, account, now).map(
    (line) => html`<span class="row-line">${line}</span>`,
  )}${accountState(account, messages.portal, workspace)}${isBroken(account) ? reconnectLink(page, account) : ''}</div>${accountMenu(page, account, hasAgents)}</li>`
}

/** The name, who signed in, since when, and how far agents are restricted; a name that says nothing new is left out. */
function accountLines({ portal }: Messages, account: PortalAccount, now: number): (Html | Text)[] {
  const { name, identityLabel, definition, createdAt, lastUsedAt, agentAccess } = account
  const isNamed = name !== definition.name && name !== identityLabel
  return [
    ...(isNamed ? [html`<bdi>${name}</bdi>`] : []),
    ...(identityLabel === null ? [] : [portal.signedInAs({ account: identityLabel })]),
    html`<span class="whole">${portal.connectedOn({ at: new Date(createdAt) })}</span> · <span class="whole">${describeUse(portal, lastUsedAt, now)}</span>`,
    ...(agentAccess === null ? [] : [portal.agents.restricted[agentAccess]]),
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
function accountMenu(page: PageContext, account: PortalAccount, hasAgents: boolean): Html {
  const { portal } = page.messages
  const { accountId, definition, status, agentAccess } = account
  const names = { tool: definition.name, account: getAccountLabel(account) }
  const reconnect =
    status === 'pending' || isBroken(account)
      ? ''
      : html`<a${attributes({
          href: buildPageUrl(page, { reconnect: accountId }),
          'aria-label': portal.reconnectAccount(names),
          ...ownDocument(page),
        })}>${portal.reconnect}</a>`
  const agents =
    hasAgents || agentAccess !== null
      ? html`<a${attributes({
          href: buildPageUrl(page, { agents: accountId }),
          'aria-label': portal.agents.ofAccount(names),
          'data-go': true,
        })}>${portal.agents.link}</a>`
      : ''
  return html`<details class="menu" name="menu"><summary${attributes({
    class: 'round',
    'aria-label': portal.more(names),
  })}>${ICONS.more}</summary><div class="menu-items">${reconnect}${agents}<a${attributes({
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
function accountState(
  { status, isUnchecked }: PortalAccount,
  portal: Messages['portal'],
  workspace: string,
): Html {
  const [kind, icon, text] = {
    active: isUnchecked
      ? ['info', ICONS.clock, portal.unchecked]
      : ['good', ICONS.check, portal.active],
    needs_reauth: ['bad', ICONS.alert, portal.needsReauth],
    error: ['warning', ICONS.alert, portal.error({ workspace })],
    pending: ['info', ICONS.clock, portal.pending({ workspace })],
  }[status] as [string, Html, Text]
  return html`<span class="account-state ${kind}">${icon}<span>${text}</span></span>`
}

/** Asks whether to disconnect an account. */
function disconnectScreen(page: PageContext, account: PortalAccount): Screen {
  const { messages, workspaceName: workspace } = page
  const { portal } = messages
  const tool = account.definition.name
  const { title, body } = portal.ask({ tool, workspace })
  const label = getAccountLabel(account)
  const mark = [toolTile(tool, getIntegrationIcon(account.definition))]
  const main = html`${pageHeader(page, { back: buildPortalUrl(page) })}${stateHeader({ mark, title, body })}
${label === tool ? '' : html`<p><strong><bdi>${label}</bdi></strong></p>`}
<form method="post" action="${buildPortalFormUrl(page, 'disconnect')}" data-form="open">
${hiddenInputs({ visit: sessionField(page.session), account: account.accountId })}
${actions(button({ text: portal.confirm({ tool }), kind: 'danger' }), portalButton(page, portal.keep))}
</form>`
  return { state: 'disconnect', status: 200, title, main }
}

/** Says what became of the access at the provider. */
function disconnectedScreen(
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
function goneScreen(page: PageContext): Screen {
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
