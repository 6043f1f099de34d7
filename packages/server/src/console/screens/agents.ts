import type { AgentApproval, AgentSession } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { submitButton } from '../parts/content.ts'
import { type ConnectionStatus, statusBadge } from '../parts/status.ts'
import { emptyState, pager, table, tabs } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Screen, Submission, View } from '../screen.ts'
import type { Words } from '../words/en.ts'

export const AGENTS = '/console/agents'
export const SESSIONS = `${AGENTS}/sessions`
const PAGE = 50
const STATUSES = ['pending', 'approved', 'used', 'denied'] as const

/** What do agents wait for? */
export const agentsScreen: Screen = {
  path: '/agents',
  async show(view) {
    const { api, words, query } = view
    const status = STATUSES.find((each) => each === query.get('status'))
    const cursor = query.get('cursor') ?? undefined
    const { items, nextCursor } = await api.agentApprovals.list({ status, cursor }).page(PAGE)
    return {
      title: words.sections.agents,
      section: 'agents',
      isLive: true,
      tabs: agentTabs(words, 'approvals'),
      main: html`${renderFilter(view)}${renderApprovals(view, items)}${pager({ path: AGENTS, query }, nextCursor, words)}`,
    }
  },
}

/** Which agents can act, and what have they used? */
export const agentSessionsScreen: Screen = {
  path: '/agents/sessions',
  async show(view) {
    const { api, words, query } = view
    const cursor = query.get('cursor') ?? undefined
    const { items, nextCursor } = await api.agentSessions.list({ cursor }).page(PAGE)
    return {
      title: words.sections.agents,
      section: 'agents',
      isLive: true,
      tabs: agentTabs(words, 'sessions'),
      main: html`${renderSessions(view, items)}${pager({ path: SESSIONS, query }, nextCursor, words)}`,
    }
  },
  actions: { '/revoke': revoke },
}

function agentTabs({ agents }: Words, current: 'approvals' | 'sessions'): Html {
  return tabs(agents.views, [
    { name: agents.approvals, href: AGENTS, isCurrent: current === 'approvals' },
    { name: agents.sessions, href: SESSIONS, isCurrent: current === 'sessions' },
  ])
}

function renderFilter({ words, query }: View): Html {
  const { agents, attempts } = words
  return html`<form class="filters" action="${AGENTS}" role="search">
<label><span class="unseen">${agents.status}</span><select name="status"><option value="">${agents.anyStatus}</option>${STATUSES.map((status) => html`<option value="${status}"${query.get('status') === status ? html` selected` : ''}>${agents.statuses[status]}</option>`)}</select></label>
<button class="button">${attempts.filter}</button></form>`
}

function renderApprovals({ words, query, now }: View, rows: readonly AgentApproval[]): Html {
  const { agents } = words
  if (rows.length === 0)
    return emptyState({
      icon: 'agents',
      text: query.get('status') ? agents.noneFiltered : agents.none,
    })
  return table<AgentApproval>({
    label: agents.approvals,
    rows,
    key: (row) => row.agentApprovalId,
    href: (row) => `${AGENTS}/approvals/${row.agentApprovalId}`,
    columns: [
      {
        name: agents.request,
        width: 'wide',
        cell: (row) =>
          html`<span class="two"><b>${row.method} ${row.path}</b><small>${row.host}</small></span>`,
      },
      {
        name: agents.status,
        width: 'medium',
        cell: (row) => statusBadge(describeApproval(row, words)),
      },
      {
        name: agents.asked,
        width: 'medium',
        align: 'end',
        cell: (row) => timeAgo(row.createdAt, now, words),
      },
    ],
  })
}

/** The status of an approval, for people. */
export function describeApproval(
  { status }: Pick<AgentApproval, 'status'>,
  { agents }: Words,
): ConnectionStatus {
  switch (status) {
    case 'pending':
      return { label: agents.statuses.pending, tone: 'warn', icon: 'clock', actor: 'team' }
    case 'approved':
      return { label: agents.statuses.approved, tone: 'good', icon: 'good' }
    case 'used':
      return { label: agents.statuses.used, tone: 'good', icon: 'good' }
    case 'denied':
      return { label: agents.statuses.denied, tone: 'bad', icon: 'error' }
    case 'expired':
      return { label: agents.statuses.expired, tone: 'quiet', icon: 'clock' }
    default:
      return { label: status, tone: 'quiet', icon: 'info' }
  }
}

function renderSessions(view: View, rows: readonly AgentSession[]): Html {
  const { words, now } = view
  const { agents } = words
  if (rows.length === 0) return emptyState({ icon: 'agents', text: agents.noSessions })
  return table<AgentSession>({
    label: agents.sessions,
    rows,
    key: (row) => row.agentSessionId,
    href: (row) => `${SESSIONS}/${row.agentSessionId}`,
    columns: [
      {
        name: agents.customer,
        width: 'wide',
        cell: (row) =>
          html`<span class="two">${html`<b>${row.accountIdentifier ?? agents.accounts(row.integrationAccountIds.length)}</b>`}<small>${row.clientName === null ? '' : html`<bdi>${row.clientName}</bdi> · `}${agents.used(row.usage.calls, row.limits.calls, row.usage.writes, row.limits.writes)}</small></span>`,
      },
      {
        name: agents.expires,
        width: 'medium',
        cell: (row) =>
          row.revokedAt === null
            ? timeAgo(row.expiresAt, now, words)
            : html`${agents.revoked} ${timeAgo(row.revokedAt, now, words)}`,
      },
      {
        name: agents.actions,
        width: 'medium',
        align: 'end',
        cell: (row) => renderRevoke(view, row),
      },
    ],
  })
}

/** The button that ends a session; nothing if it has ended. */
export function renderRevoke(
  view: View,
  { agentSessionId, expiresAt, revokedAt }: AgentSession,
): Html {
  const { words, now, formFields } = view
  if (revokedAt !== null || Date.parse(expiresAt) <= now) return html``
  const path = `${SESSIONS}/revoke`
  const disabledBecause = whyNot(view, 'agents')
  return html`<form method="post" action="${path}">${formFields(path)}<input type="hidden" name="id" value="${agentSessionId}">${submitButton({ text: words.agents.revoke, icon: 'trash', disabledBecause })}</form>`
}

async function revoke({ api, form, words }: Submission): Promise<Answer> {
  await api.agentSessions.delete(form.get('id') ?? '')
  return {
    location: SESSIONS,
    notice: words.agents.revokedNotice,
  }
}
