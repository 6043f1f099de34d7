import type { AuditEvent, Linchpin } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { copyable, facts, linkButton, panel, snippet } from '../parts/content.ts'
import { icon } from '../parts/icons.ts'
import { jsonTree } from '../parts/json-tree.ts'
import { statusBadge } from '../parts/status.ts'
import { subjectLink } from '../parts/subject-link.ts'
import { emptyState, filterChips, pager, withQuery } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Screen, View } from '../screen.ts'
import { showForbidden } from './forbidden.ts'

const PATH = '/console/audit'
const PAGE = 50
const FILTERS = [
  ...(['action', 'actor', 'tokenId', 'subject', 'ip', 'requestId'] as const),
  ...(['outcome', 'from', 'to'] as const),
] as const
type Filter = (typeof FILTERS)[number]

/** Who did that? */
export const auditScreen: Screen = {
  path: '/audit',
  async show(view) {
    const { api, words, query } = view
    const forbidden = showForbidden(view, 'audit', 'audit:read')
    if (forbidden !== undefined) return forbidden
    const [{ items, nextCursor }, tokenNames, people, [checkpoint]] = await Promise.all([
      api.audit
        .list({ ...readFilters(query), cursor: query.get('cursor') ?? undefined })
        .page(PAGE),
      readTokenNames(view),
      readPeople(view),
      api.events.list({ types: 'audit.checkpoint', order: '-sequence', limit: 1 }).first(1),
    ])
    return {
      title: words.sections.audit,
      section: 'audit',
      actions: [renderExport(view)],
      main: html`${renderFilters(view)}${filterChips(listFilters(view), words)}${renderEntries(view, items, { tokenNames, people, hasMore: nextCursor !== undefined })}${pager({ path: PATH, query }, nextCursor, words)}
${panel(words.audit.verify, renderVerification(view, checkpoint?.type === 'audit.checkpoint' ? checkpoint.data.checkpoint : undefined))}`,
    }
  },
  actions: { '/export': exportEntries },
}

/** The entries as JSON Lines. By a form: the trail records who has exported it. */
async function exportEntries(view: View): Promise<Answer> {
  const { api, query, now } = view
  const forbidden = showForbidden(view, 'audit', 'audit:read')
  if (forbidden !== undefined) return forbidden
  const { from, to } = readFilters(query)
  const response = await api.audit.export({
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  })
  return {
    fileName: `audit-${new Date(now).toISOString().slice(0, 10)}.jsonl`,
    contentType: 'application/jsonl',
    body: response.body,
  }
}

/** A day begins and ends in UTC. */
function readFilters(query: URLSearchParams) {
  const read = (name: Filter) => query.get(name)?.trim() || undefined
  const day = (name: 'from' | 'to') => {
    const value = read(name)
    return value !== undefined && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value
  }
  const outcome = (['done', 'refused'] as const).find((each) => each === read('outcome'))
  const filters = {
    action: read('action'),
    actor: read('actor'),
    tokenId: read('tokenId'),
    subject: read('subject'),
    ip: read('ip'),
    requestId: read('requestId'),
    outcome,
    from: day('from'),
    to: day('to'),
  }
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Partial<typeof filters>
}

/** The names of access tokens, while the session has the scope to read them. */
async function readTokenNames(view: View): Promise<ReadonlyMap<string, string>> {
  const api: Linchpin | undefined = await view.openApi('elevated')
  if (api === undefined || whyNot(view, 'tokens', 'elevated') !== undefined) return new Map()
  const tokens = await api.tokens.list().first(1_000)
  return new Map(tokens.map(({ tokenId, name }) => [tokenId, name]))
}

/** The names of the members, by user ID. */
async function readPeople({ api, session }: View): Promise<People> {
  const { workspaceId } = session.membership
  const members = await api.members.list({ workspaceId }).first(Number.POSITIVE_INFINITY)
  const named = members.flatMap(({ userId, name, email }): [string, string][] =>
    userId === null ? [] : [[userId, name ?? email]],
  )
  return new Map([...named, [session.userId, session.name]])
}

type People = ReadonlyMap<string, string>

function renderFilters({ words, query }: View): Html {
  const { audit } = words
  const field = (name: Filter, type: 'text' | 'date' = 'text') =>
    html`<label class="field"><span>${audit.filters[name]}</span><input name="${name}" type="${type}" value="${query.get(name)}" autocomplete="off" spellcheck="false" maxlength="${name === 'requestId' ? 200 : 64}"></label>`
  const outcome = query.get('outcome')
  const option = (value: string, label: string) =>
    html`<option value="${value}"${outcome === value ? html` selected` : ''}>${label}</option>`
  const isOpen = FILTERS.some((name) => query.has(name))
  return html`<details class="help filter-panel"${isOpen ? html` open` : ''}><summary>${words.app.filter}</summary><form action="${PATH}" class="filter-grid" role="search" data-filter>
${field('action')}${field('actor')}${field('tokenId')}${field('subject')}${field('ip')}${field('requestId')}
<label class="field"><span>${audit.filters.outcome}</span><select name="outcome">${option('', audit.allOutcomes)}${option('done', audit.outcomes.done)}${option('refused', audit.outcomes.refused)}</select></label>
${field('from', 'date')}${field('to', 'date')}
<div class="buttons"><button class="button">${audit.apply}</button></div></form></details>`
}

function listFilters({ words, query }: View) {
  return FILTERS.flatMap((name) => {
    const value = query.get(name)?.trim()
    if (!value) return []
    const href = withQuery({ path: PATH, query }, { [name]: undefined, cursor: undefined })
    return [{ label: `${words.audit.filters[name]}: ${value}`, href }]
  })
}

function renderExport({ words, query, formFields }: View): Html {
  const url = new URLSearchParams()
  for (const name of ['from', 'to'] as const) {
    const value = query.get(name)
    if (value !== null && value !== '') url.set(name, value)
  }
  const path = `${PATH}/export`
  return html`<form method="post" action="${withQuery({ path, query: url }, {})}" data-turbo="false">${formFields(path)}<button class="button">${words.audit.export}</button></form>`
}

interface EntriesOptions {
  readonly tokenNames: ReadonlyMap<string, string>
  readonly people: People
  readonly hasMore: boolean
}

function renderEntries(
  view: View,
  rows: readonly AuditEvent[],
  { tokenNames, people, hasMore }: EntriesOptions,
): Html {
  const { words, query, now } = view
  const { audit } = words
  if (rows.length === 0)
    return emptyState({
      icon: 'audit',
      text: hasMore ? audit.noneOnPage : query.size > 0 ? audit.noneFiltered : audit.none,
      action: query.size > 0 ? linkButton({ text: audit.removeFilters }, PATH) : undefined,
    })
  return html`<ul class="entries" aria-label="${words.sections.audit}">${rows.map(
    (row) =>
      html`<li><details><summary><span class="two"><b>${row.action}</b><small><code>${row.subject}</code></small></span>${row.outcome === 'refused' ? statusBadge({ label: audit.outcomes.refused, tone: 'bad', icon: 'error' }) : html`<span></span>`}<span class="two"><span>${describeActor(view, row, { tokenNames, people })}</span><small>${describeOrigin(view, row)}</small></span>${timeAgo(row.timestamp, now, words)}${icon('chevronDown', 16)}</summary>${renderDetail(view, row, people)}</details></li>
`,
  )}</ul>`
}

/** Who: a person by name, a token by name, or what is known. */
function describeActor(
  { words }: View,
  { actor }: AuditEvent,
  { tokenNames, people }: Pick<EntriesOptions, 'tokenNames' | 'people'>,
): string {
  const { userId, tokenId, kind, via } = actor
  if (via === 'console') return people.get(userId ?? '') ?? userId ?? ''
  if (tokenId !== null) return tokenNames.get(tokenId) ?? tokenId
  const { actors } = words.audit
  return actors[kind as keyof typeof actors] ?? kind
}

function describeOrigin({ words }: View, { actor }: AuditEvent): string {
  const { causes } = words.connection
  const via = causes[actor.via as keyof typeof causes] ?? actor.via
  return [via, actor.ip].filter(Boolean).join(' · ')
}

function renderDetail({ words }: View, row: AuditEvent, people: People): Html {
  const { audit } = words
  const filter = (name: Filter, value: string) =>
    html`<a href="${withQuery({ path: PATH, query: new URLSearchParams() }, { [name]: value })}"><code>${value}</code></a>`
  const { userId, tokenId, ip } = row.actor
  return html`<div class="detail">${facts([
    [audit.at, exactTime(row.timestamp)],
    [audit.filters.subject, row.subject === null ? undefined : subjectLink(row.subject)],
    [audit.person, people.get(userId ?? '')],
    [audit.filters.actor, userId === null ? undefined : filter('actor', userId)],
    [audit.filters.tokenId, tokenId === null ? undefined : filter('tokenId', tokenId)],
    [audit.filters.ip, ip === null ? audit.noAddress : filter('ip', ip)],
    [words.app.requestId, row.requestId === null ? undefined : copyable(row.requestId, words)],
    [audit.sequence, `${row.sequence}`],
    ['ID', copyable(row.auditId, words)],
  ])}${row.detail === null || Object.keys(row.detail).length === 0 ? '' : jsonTree(row.detail, words)}</div>`
}

interface Checkpoint {
  readonly sequence: number
  readonly hash: string
  readonly timestamp: string
}

function renderVerification(
  { words, now, publicUrl }: View,
  checkpoint: Checkpoint | undefined,
): Html {
  const { audit } = words
  return html`<div class="stack"><p>${audit.verifyText}</p>${facts([
    [
      audit.checkpoint,
      checkpoint === undefined
        ? audit.noCheckpoint
        : html`${audit.checkpointOf(checkpoint.sequence)} ${timeAgo(checkpoint.timestamp, now, words)}`,
    ],
    [audit.hash, checkpoint === undefined ? undefined : copyable(checkpoint.hash, words)],
    [audit.publicKey, copyable(`${publicUrl}/audit/jwks.json`, words)],
  ])}${snippet('npm run linchpin -- audit verify export.jsonl --checkpoints log.jsonl --public-key KEY', words, audit.command)}</div>`
}
