import type { PortalAccount } from '../../accounts/accounts/portal-account-store.ts'
import { AGENT_ACCESS } from '../../accounts/agents/agent-access.ts'
import type { AgentSession } from '../../accounts/agents/agent-session.ts'
import type { AgentSessionStore } from '../../accounts/agents/agent-session-store.ts'
import type { ChainedEntry } from '../../activity/audit/audit-entry.ts'
import type { AuditStore } from '../../activity/audit/audit-store.ts'
import { getIntegrationIcon } from '../../integrations/catalogue/integration-icon.ts'
import type { Messages } from '../../platform/i18n/messages.ts'
import { actions, button, field } from '../../platform/ui/field.ts'
import {
  hiddenInputs,
  notice,
  rows,
  stateHeader,
  tile,
  toolTile,
} from '../../platform/ui/header.ts'
import { type Html, html } from '../../platform/ui/html.ts'
import type { Screen } from '../../platform/ui/screen.ts'
import { showInvisible } from '../../platform/ui/show-invisible.ts'
import type { ConnectPageDeps } from './connect-page-deps.ts'
import { buildPortalFormUrl, buildPortalUrl, type PageContext } from './page/page-context.ts'
import { sessionField } from './page/page-session.ts'
import { pageHeader } from './screens/page-header.ts'

export interface AgentActivityDeps {
  readonly agentSessions: Pick<AgentSessionStore, 'hasAny' | 'listUsed' | 'listOfCustomer'>
  readonly audit: Pick<AuditStore, 'getRange' | 'list'>
}

/** The sessions whose requests are shown, the entries that are read of each, and the requests that are shown. */
const MAX_SESSIONS = 10
const MAX_ENTRIES = 100
const MAX_REQUESTS = 20

/** What agents may do with an account, which the customer decides here, and what they did with it lately. */
export async function getAgentsScreen(
  deps: AgentActivityDeps,
  page: PageContext,
  account: PortalAccount,
  isSaved = false,
): Promise<Screen> {
  const { messages, workspaceName: workspace } = page
  const { portal } = messages
  const { agents } = portal
  const { name: tool } = account.definition
  const message = agents.ask({ tool, workspace })
  const label = getAccountLabel(account)
  const requests = await listAgentRequests(deps, page, account)
  const main = html`${pageHeader(page, { back: buildPortalUrl(page) })}${stateHeader({
    mark: [toolTile(tool, getIntegrationIcon(account.definition))],
    ...message,
  })}
${isSaved ? notice({ kind: 'good', text: agents.saved, attributes: { role: 'status' } }) : ''}
${label === tool ? '' : html`<p><strong><bdi>${label}</bdi></strong></p>`}
${accessForm(page, account)}
<h2 class="setup-details">${agents.recent}</h2>
${requests.length === 0 ? html`<p class="quiet">${agents.none}</p>` : rows(requests.map((each) => requestRow(each, messages)))}`
  return { state: 'portalAgents', status: 200, title: message.title, main }
}

/** What tells an account from another one of the same tool. */
export function getAccountLabel({ identityLabel, name }: PortalAccount): string {
  return identityLabel ?? name
}

function accessForm(page: PageContext, account: PortalAccount): Html {
  const { messages } = page
  const { agents } = messages.portal
  const action = buildPortalFormUrl(page, 'agents', { agents: account.accountId })
  const control = field({
    messages,
    id: 'access',
    name: 'access',
    label: agents.label,
    kind: 'select',
    isRequired: true,
    value: account.agentAccess ?? 'full',
    options: AGENT_ACCESS.map((value) => ({ value, text: agents.access[value] })),
  })
  return html`<form method="post" action="${action}" data-form="open">${hiddenInputs({
    visit: sessionField(page.session),
    account: account.accountId,
  })}${control}${actions(button({ text: agents.save }))}</form>`
}

/** The clients with which the customer has signed in, and that still have access; none in a session for one account. */
export async function listClients(
  { agentSessions, database, now }: ClientsDeps,
  { workspace: { workspaceId }, connectSession }: PageContext,
): Promise<AgentSession[]> {
  const { accountIdentifier = null, accountId = null } = connectSession ?? {}
  if (accountIdentifier === null || accountId !== null) return []
  return agentSessions.listOfCustomer(database.read, { workspaceId, accountIdentifier }, now())
}

type ClientsDeps = Pick<ConnectPageDeps, 'database' | 'now'> & AgentActivityDeps

/** Each with a button that ends its access; an empty text without clients. */
export function clientList(page: PageContext, clients: readonly AgentSession[]): Html | string {
  const { agents, connectedOn } = page.messages.portal
  if (clients.length === 0) return ''
  const action = buildPortalFormUrl(page, 'clients')
  const items = clients.map(({ agentSessionId, clientId, clientName, createdAt }) => {
    const name = showInvisible(clientName ?? clientId ?? '')
    return html`<li class="account">${tile(name)}<div class="row-text"><span class="row-name"><bdi>${name}</bdi></span><span class="row-line">${connectedOn({ at: new Date(createdAt) })}</span><form method="post" action="${action}" data-form="open">${hiddenInputs({ visit: sessionField(page.session), client: agentSessionId })}<span class="account-actions">${button(
      {
        text: agents.endAccess,
        kind: 'quiet',
        attributes: { 'aria-label': agents.endAccessOf({ client: name }) },
      },
    )}</span></form></div></li>`
  })
  return html`<h2 class="setup-details">${agents.clients}</h2>${rows(items)}`
}

/** A request of an agent, as the audit trail has it. */
interface AgentRequest {
  readonly at: number
  /** Method and URL, or the tool of an MCP server. */
  readonly name: string
  readonly isRead: boolean
  /** It was not sent: a rule, the customer or a person said no, or nothing yet. */
  readonly isRefused: boolean
}

/** The newest requests with the account, of the newest sessions that have it. */
async function listAgentRequests(
  { agentSessions, audit }: AgentActivityDeps,
  { access, workspace: { workspaceId }, connectSession }: PageContext,
  { accountId }: PortalAccount,
): Promise<AgentRequest[]> {
  const accountIdentifier = connectSession?.accountIdentifier ?? null
  const used = { workspaceId, accountIdentifier, accountId }
  const sessions = await agentSessions.listUsed(access, used, MAX_SESSIONS)
  const chain = { access, chainId: workspaceId }
  const { oldest: first, last } = await audit.getRange(chain)
  const entries = await Promise.all(
    sessions.map(({ agentSessionId: subject }) =>
      audit.list(chain, { first, last, limit: MAX_ENTRIES }, { subject, action: 'agent.called' }),
    ),
  )
  return entries
    .flat()
    .filter(({ detail }) => detail?.integrationAccountId === accountId)
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_REQUESTS)
    .map(toAgentRequest)
}

function toAgentRequest({ at, detail = {}, outcome }: ChainedEntry): AgentRequest {
  const { method, host, path, tool } = detail
  return {
    at,
    name: tool === undefined ? `${method} ${host}${path}` : `${tool} (${host})`,
    isRead: method === 'GET' || method === 'HEAD',
    isRefused: outcome === 'refused',
  }
}

function requestRow(request: AgentRequest, { portal: { agents } }: Messages): Html {
  const { at, name, isRead, isRefused } = request
  const done = isRead ? agents.read : agents.changed
  return html`<li class="account"><div class="row-text"><span class="row-name">${isRefused ? agents.refused : done}</span><span class="row-line"><bdi dir="ltr">${showInvisible(name)}</bdi></span><span class="row-line"><time datetime="${new Date(at).toISOString()}">${agents.at({ at: new Date(at) })}</time></span></div></li>`
}
