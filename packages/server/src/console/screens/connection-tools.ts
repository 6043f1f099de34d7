import type { IntegrationAccountTool } from '@linchpin/sdk'
import { isLinchpinError } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { showInvisible } from '../../platform/ui/show-invisible.ts'
import { banner, panel, submitButton } from '../parts/content.ts'
import { type ConnectionStatus, statusBadge } from '../parts/status.ts'
import { emptyState } from '../parts/table.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Screen, Submission, View } from '../screen.ts'
import type { Words } from '../words/en.ts'

/** What can agents and the product call at this MCP server, and what has it changed? */
export const connectionToolsScreen: Screen = {
  path: '/connections/:integrationAccountId/tools',
  show,
  actions: { '/accept': accept },
}

const getParent = ({ params }: View) => `/console/connections/${params.integrationAccountId}`
const getPath = (view: View) => `${getParent(view)}/tools`

/** As long as the server may take for its list, and a refresh before it. */
const LIST_MS = 30_000

async function show(view: View): Promise<Answer> {
  const { api, params, words } = view
  const texts = words.connectionTools
  const id = params.integrationAccountId ?? ''
  const account = await api.accounts.get(id)
  const found = await listTools(view, id)
  return {
    title: texts.title,
    section: 'connections',
    parent: { href: getParent(view), label: account.integrationAccountName },
    banner: renderBanner(found, words),
    main:
      'error' in found
        ? html``
        : html`<div class="stack">${found.tools.length === 0 ? emptyState({ icon: 'terminal', text: texts.none }) : order(found.tools).map((tool) => renderTool(view, tool))}</div>`,
  }
}

type Found = { readonly tools: readonly IntegrationAccountTool[] } | { readonly error: string }

/** The tools, or why there are none to show: it is not for the team to repair. */
async function listTools({ api }: View, id: string): Promise<Found> {
  try {
    const { items } = await api.accounts.listTools(id, { timeoutMs: LIST_MS }).page()
    return { tools: items }
  } catch (error) {
    if (!isLinchpinError(error) || error.status === 404) throw error
    return { error: error.message }
  }
}

function renderBanner(found: Found, { connectionTools: texts }: Words): Html | undefined {
  if ('error' in found) return banner('warn', { title: texts.failed, text: found.error })
  const suspended = found.tools.filter(({ state }) => state === 'suspended').length
  if (suspended === 0) return undefined
  return banner('warn', { title: texts.suspended(suspended), text: texts.suspendedText })
}

/** Those that someone has to look at first. */
function order(tools: readonly IntegrationAccountTool[]): IntegrationAccountTool[] {
  const ranks = ['suspended', 'accepted', 'unusable']
  return tools.toSorted((one, other) => ranks.indexOf(one.state) - ranks.indexOf(other.state))
}

function renderTool(view: View, tool: IntegrationAccountTool): Html {
  const { words } = view
  const { name, state, problem, description, accepted } = tool
  const text = problem ?? description ?? ''
  return panel(
    showInvisible(name) || words.connectionTools.noName,
    html`<div class="stack"><p class="quiet">${showInvisible(cut(text))}</p>${accepted === null ? '' : html`${renderDifference(accepted, tool, words)}${renderForm(view, tool)}`}</div>`,
    statusBadge(describeState(state, words)),
  )
}

const cut = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)
const MAX_TEXT = 500

function describeState(state: string, { connectionTools: { states } }: Words): ConnectionStatus {
  if (state === 'accepted') return { label: states.accepted, tone: 'good', icon: 'good' }
  if (state === 'suspended') return { label: states.suspended, tone: 'warn', icon: 'pause' }
  return { label: states.unusable, tone: 'quiet', icon: 'error' }
}

type Definition = NonNullable<IntegrationAccountTool['accepted']>

const MEMBERS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

/** Each member that was changed, all of it in sight: what is accepted is not behind a scroll bar. */
function renderDifference(
  before: Definition,
  after: Definition,
  { connectionTools: texts }: Words,
) {
  return MEMBERS.flatMap((name) => {
    const [old, current] = [toLines(before[name]), toLines(after[name])]
    return old.join('\n') === current.join('\n')
      ? []
      : [html`<h3>${texts.members[name]}</h3>${renderLines(old, current)}`]
  })
}

/** The lines that are different, with some around them. */
function renderLines(old: readonly string[], current: readonly string[]): Html {
  const most = Math.min(old.length, current.length)
  let start = 0
  while (start < most && old[start] === current[start]) start += 1
  let end = 0
  while (end < most - start && old.at(-1 - end) === current.at(-1 - end)) end += 1
  const show = (lines: readonly string[]) => lines.map((line) => `  ${showInvisible(line)}\n`)
  const before = current.slice(Math.max(0, start - CONTEXT), start)
  const after = current.slice(current.length - end).slice(0, CONTEXT)
  const removed = old.slice(start, old.length - end)
  const added = current.slice(start, current.length - end)
  return html`<pre class="body difference" tabindex="0"><code>${show(before)}${removed.map((line) => html`<del>- ${showInvisible(line)}\n</del>`)}${added.map((line) => html`<ins>+ ${showInvisible(line)}\n</ins>`)}${show(after)}</code></pre>`
}

const CONTEXT = 3

/** A text, or an object in an order that the server does not choose. */
function toLines(member: unknown): string[] {
  if (member === null) return []
  const text =
    typeof member === 'string' ? member : JSON.stringify(sortMembers(member), undefined, 2)
  return text.split('\n')
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, member]) => [name, sortMembers(member)]))
}

function renderForm(view: View, { name, sha256 }: IntegrationAccountTool): Html {
  const { words, formFields } = view
  const path = `${getPath(view)}/accept`
  const disabledBecause = whyNot(view, 'definitions:write')
  return html`<form method="post" action="${path}" class="buttons">${formFields(path)}<input type="hidden" name="name" value="${name}"><input type="hidden" name="sha256" value="${sha256 ?? ''}">${submitButton({ text: words.connectionTools.accept, icon: 'good', disabledBecause })}</form>`
}

async function accept(view: Submission): Promise<Answer> {
  const { api, form, params, words, formId } = view
  const { notices } = words.connectionTools
  const location = getPath(view)
  const body = { accept: form.get('sha256') ?? '' }
  try {
    await api.accounts.acceptTool(params.integrationAccountId ?? '', form.get('name') ?? '', body, {
      idempotencyKey: formId,
      timeoutMs: LIST_MS,
    })
    return { location, notice: notices.accepted }
  } catch (error) {
    if (!isLinchpinError(error, 'tool_suspended') && !isLinchpinError(error, 'tool_not_found'))
      throw error
    return { location, notice: notices.changed, noticeTone: 'alert' }
  }
}
