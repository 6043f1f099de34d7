import type { AgentSession, AuditEvent } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { showInvisible } from '../../platform/ui/show-invisible.ts'
import { copyable, facts, panel, snippet } from '../parts/content.ts'
import { customerLink } from '../parts/customer-link.ts'
import { type ConnectionStatus, statusBadge } from '../parts/status.ts'
import { emptyState, pager, table } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Screen, View } from '../screen.ts'
import type { Words } from '../words/en.ts'
import { renderRevoke, SESSIONS } from './agents.ts'

const PAGE = 50

/** What did this agent do, and what may it do? */
export const agentSessionScreen: Screen = {
  path: '/agents/sessions/:agentSessionId',
  async show(view) {
    const { api, words, query, params, now } = view
    const { agents } = words
    const session = await api.agentSessions.get(params.agentSessionId ?? '')
    const { agentSessionId, createdAt, revokedAt, expiresAt } = session
    const cursor = query.get('cursor') ?? undefined
    const reason = whyNot(view, 'audit:read')
    const { items, nextCursor } =
      reason === undefined
        ? await api.audit
            .list({ subject: agentSessionId, action: 'agent.called', cursor })
            .page(PAGE)
        : { items: [], nextCursor: undefined }
    const path = `${SESSIONS}/${agentSessionId}`
    return {
      title: agents.session,
      section: 'agents',
      parent: { href: SESSIONS, label: agents.sessions },
      note: html`${agents.created} ${timeAgo(createdAt, now, words)} · ${revokedAt === null ? html`${agents.expires} ${timeAgo(expiresAt, now, words)}` : html`${agents.revoked} ${timeAgo(revokedAt, now, words)}`}`,
      isLive: true,
      actions: [renderRevoke(view, session)],
      main: html`<div class="columns"><div>${panel(
        agents.calls,
        reason === undefined
          ? renderCalls(view, items)
          : emptyState({ icon: 'lock', text: reason }),
      )}${pager({ path, query }, nextCursor, words)}</div><aside>${panel(agents.facts, renderFacts(session, words))}${panel(agents.rules, renderRules(session, words))}</aside></div>`,
    }
  },
}

function renderCalls({ words, now }: View, rows: readonly AuditEvent[]): Html {
  const { agents } = words
  if (rows.length === 0) return emptyState({ icon: 'agents', text: agents.noCalls })
  return table<AuditEvent>({
    label: agents.calls,
    rows,
    key: (row) => row.auditId,
    columns: [
      {
        name: agents.request,
        width: 'wide',
        cell: ({ detail }) =>
          html`<span class="two"><b title="${nameCall(detail)}"><code>${nameCall(detail)}</code></b><small>${renderAccount(detail?.integrationAccountId, words)} · ${detail?.host}</small></span>`,
      },
      {
        name: agents.status,
        width: 'narrow',
        cell: (row) => statusBadge(describeCall(row, words)),
      },
      {
        name: agents.at,
        width: 'narrow',
        align: 'end',
        cell: ({ timestamp }) => timeAgo(timestamp, now, words),
      },
    ],
  })
}

/** Method and path, or the tool of an MCP server. */
function nameCall(detail: AuditEvent['detail']): string {
  const { method, path, tool } = detail ?? {}
  return showInvisible(tool === undefined ? `${method} ${path}` : String(tool))
}

function renderAccount(accountId: unknown, { agents }: Words): Html {
  return html`<a href="/console/connections/${accountId}">${agents.connection}</a>`
}

/** What became of a request: the status of the response, or why it was not sent. */
function describeCall({ detail, outcome }: AuditEvent, { agents }: Words): ConnectionStatus {
  const { effect, status, code } = detail ?? {}
  if (outcome === 'refused')
    return effect === 'deny'
      ? { label: agents.statuses.denied, tone: 'bad', icon: 'error' }
      : { label: agents.statuses.pending, tone: 'warn', icon: 'clock' }
  if (typeof status !== 'number')
    return { label: String(code ?? agents.noResponse), tone: 'bad', icon: 'error' }
  const isOk = status < 400
  return {
    label: String(status),
    tone: isOk ? 'good' : 'bad',
    icon: isOk ? 'good' : 'error',
  }
}

function renderFacts(session: AgentSession, words: Words): Html {
  const { agents } = words
  const { accountIdentifier, integrationAccountIds, usage, limits, approver, mayConnect } = session
  return facts([
    [agents.customer, accountIdentifier === null ? undefined : customerLink(accountIdentifier)],
    [
      agents.connections,
      html`${integrationAccountIds.map((id, index) => html`${index === 0 ? '' : ', '}<a href="/console/connections/${id}"><code>${id.slice(-6)}</code></a>`)}`,
    ],
    [agents.usage, agents.used(usage.calls, limits.calls, usage.writes, limits.writes)],
    [agents.approver, agents.approvers[approver as keyof typeof agents.approvers] ?? approver],
    [agents.mayConnect, mayConnect ? agents.yes : agents.no],
    [agents.expires, exactTime(session.expiresAt)],
    ['ID', copyable(session.agentSessionId, words)],
  ])
}

function renderRules({ rules }: AgentSession, words: Words): Html {
  return rules.length === 0
    ? html`<p class="quiet">${words.agents.noRules}</p>`
    : snippet(rules.map((rule) => JSON.stringify(rule)).join('\n'), words)
}
