import type { AgentApprovalWithRequest, IntegrationAccount, Linchpin } from '@linchpin/sdk'
import { isLinchpinError } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { showInvisible } from '../../platform/ui/show-invisible.ts'
import { copyable, facts, panel, submitButton } from '../parts/content.ts'
import { statusBadge } from '../parts/status.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import type { Answer, Page, Screen, Submission, View } from '../screen.ts'
import { AGENTS, describeApproval } from './agents.ts'
import { withElevated } from './elevated.ts'

/** What exactly would the agent send? */
export const agentApprovalScreen: Screen = {
  path: '/agents/approvals/:agentApprovalId',
  show: (view) =>
    withApi(view, async (api) => {
      const approval = await api.agentApprovals.get(view.params.agentApprovalId ?? '')
      return showApproval(view, approval, await api.accounts.get(approval.integrationAccountId))
    }),
  actions: { '/decide': decide },
}

const getPath = ({ params }: View) => `${AGENTS}/approvals/${params.agentApprovalId}`

const withApi = (view: View, show: (api: Linchpin) => Promise<Answer>) =>
  withElevated(
    view,
    {
      scope: 'agents:approve',
      section: 'agents',
      path: getPath(view),
      text: view.words.agents.elevate,
    },
    show,
  )

function showApproval(
  view: View,
  approval: AgentApprovalWithRequest,
  account: IntegrationAccount,
): Page {
  const { words, now } = view
  const { agents } = words
  const { request, method, host, path, status } = approval
  const headers = request.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')
  return {
    title: `${method} ${host}${path}`,
    section: 'agents',
    parent: { href: AGENTS, label: words.sections.agents },
    note: html`${statusBadge(describeApproval(approval, words))} · ${agents.asked} ${timeAgo(approval.createdAt, now, words)}`,
    isLive: true,
    actions: status === 'pending' ? [renderForm(view)] : [],
    main: html`<div class="columns"><div>${panel(
      agents.sends,
      html`<div class="stack">${exactly(`${method} ${request.url}`)}${renderBody(view, request)}${headers === '' ? '' : html`<h3>${agents.headers}</h3>${exactly(headers)}`}</div>`,
    )}</div><aside>${panel(agents.facts, renderFacts(view, approval, account))}</aside></div>`,
  }
}

function renderBody({ words }: View, { body, bytes, sha256 }: AgentApprovalWithRequest['request']) {
  const { agents } = words
  if (bytes === 0) return html`<p class="quiet">${agents.noBody}</p>`
  return body === null
    ? html`<p class="quiet">${agents.binary(bytes)}</p>${sha256 === null ? '' : exactly(`SHA-256 ${sha256}`)}`
    : html`<h3>${agents.body}</h3>${exactly(body)}`
}

function exactly(text: string): Html {
  return html`<pre class="body" tabindex="0"><code>${showInvisible(text)}</code></pre>`
}

function renderForm(view: View): Html {
  const { words, formFields } = view
  const path = `${getPath(view)}/decide`
  return html`<form method="post" action="${path}" class="buttons">${formFields(path)}${submitButton({ text: words.agents.deny, icon: 'error', value: ['decision', 'deny'] })}${submitButton({ text: words.agents.approve, icon: 'good', kind: 'primary', value: ['decision', 'approve'] })}</form>`
}

function renderFacts(
  { words, now }: View,
  approval: AgentApprovalWithRequest,
  account: IntegrationAccount,
): Html {
  const { agents } = words
  const { decidedBy, decidedAt, expiresAt, agentSessionId } = approval
  return facts([
    [
      agents.connection,
      html`<a href="/console/connections/${account.integrationAccountId}">${account.integrationAccountName}</a>`,
    ],
    [
      agents.decided,
      decidedAt === null
        ? undefined
        : html`${exactTime(decidedAt)} · ${decidedBy === 'customer' ? agents.byCustomer : agents.byTeam}`,
    ],
    [agents.expires, timeAgo(expiresAt, now, words)],
    [
      agents.session,
      html`<a href="${AGENTS}/sessions/${agentSessionId}"><code>${agentSessionId}</code></a>`,
    ],
    ['ID', copyable(approval.agentApprovalId, words)],
  ])
}

function decide(view: Submission): Promise<Answer> {
  const { form, params, words } = view
  const decision = form.get('decision') === 'approve' ? 'approve' : 'deny'
  return withApi(view, async (api) => {
    try {
      await api.agentApprovals.decide(params.agentApprovalId ?? '', { decision })
      return { location: getPath(view), notice: words.agents.notices[decision] }
    } catch (error) {
      const isDecided = isLinchpinError(error, 'agent_approval_decided')
      if (!isDecided && !isLinchpinError(error, 'approver_not_allowed')) throw error
      const notice = isDecided ? words.agents.notices.decided : words.agents.notices.customer
      return { location: getPath(view), notice, noticeTone: 'alert' }
    }
  })
}
