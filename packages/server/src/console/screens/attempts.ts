import type { Attempt, AttemptCount, ListAttemptsQuery } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { copyable, facts, tile } from '../parts/content.ts'
import { customerLink } from '../parts/customer-link.ts'
import { explainCode } from '../parts/explain-code.ts'
import { type FailureActor, findFailureActor } from '../parts/failure-actor.ts'
import { type IconName, icon } from '../parts/icons.ts'
import { requestLink } from '../parts/subject-link.ts'
import {
  emptyState,
  filterChips,
  formatNumber,
  pager,
  table,
  tabs,
  withQuery,
} from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import type { DefinitionNames, Screen, View } from '../screen.ts'
import type { Words } from '../words/en.ts'

const PATH = '/console/attempts'
const PAGE = 50
/** Of failed attempts, the groups count so many. */
const COUNTED = 1_000
const OUTCOMES = ['connected', 'accepted', 'failed', 'cancelled', 'abandoned'] as const

/** Why did it fail? */
export const attemptsScreen: Screen = {
  path: '/attempts',
  async show(view) {
    const { words, query } = view
    const isByCode = query.get('view') === 'codes'
    const names = view.definitionNames()
    const main = isByCode ? showCodes(view) : showTimes(view, names)
    const [rows, definitions] = await Promise.all([main, names])
    return {
      title: words.sections.attempts,
      section: 'attempts',
      isLive: true,
      tabs: tabs(words.attempts.views, [
        { name: words.attempts.byTime, href: hrefOf(view, undefined), isCurrent: !isByCode },
        { name: words.attempts.byCode, href: hrefOf(view, 'codes'), isCurrent: isByCode },
      ]),
      main: html`${renderFilters(view, definitions, isByCode)}${filterChips(listFilters(view, definitions), words)}${rows}`,
    }
  },
}

function hrefOf({ query }: View, name: string | undefined): string {
  const change = { view: name, cursor: undefined, ...(name === 'codes' && { outcome: undefined }) }
  return withQuery({ path: PATH, query }, change)
}

function readFilters(query: URLSearchParams): ListAttemptsQuery {
  const read = (name: string) => query.get(name)?.trim() || undefined
  const outcome = OUTCOMES.find((each) => each === query.get('outcome'))
  return {
    accountIdentifier: read('customer'),
    integrationDefinitionId: read('integration'),
    code: read('code'),
    linkId: read('link'),
    integrationAccountId: read('connection'),
    connectSessionId: read('session'),
    requestId: read('request'),
    outcome,
  }
}

function renderFilters(
  { words, query }: View,
  definitions: DefinitionNames,
  isByCode: boolean,
): Html {
  const { attempts } = words
  const hidden = ['view', 'code', 'link', 'connection', 'session', 'request'].filter((name) =>
    query.has(name),
  )
  const byName = [...definitions].toSorted(([, one], [, other]) =>
    one.name.localeCompare(other.name, 'en'),
  )
  const option = (value: string, label: string, current: string | null) =>
    html`<option value="${value}"${value === current ? html` selected` : ''}>${label}</option>`
  return html`<form class="filters" action="${PATH}" role="search">${hidden.map((name) => html`<input type="hidden" name="${name}" value="${query.get(name)}">`)}
<label class="search"><span class="unseen">${attempts.searchLabel}</span><input type="search" name="customer" value="${query.get('customer')}" placeholder="${attempts.searchLabel}" maxlength="255" autocomplete="off" spellcheck="false" data-search></label>
<label><span class="unseen">${attempts.integration}</span><select name="integration">${option('', attempts.anyIntegration, null)}${byName.map(([id, { name }]) => option(id, name, query.get('integration')))}</select></label>
${isByCode ? '' : html`<label><span class="unseen">${attempts.outcome}</span><select name="outcome">${option('', attempts.anyOutcome, null)}${OUTCOMES.map((outcome) => option(outcome, attempts.outcomes[outcome], query.get('outcome')))}</select></label>`}
<button class="button">${attempts.filter}</button></form>`
}

function listFilters({ words, query }: View, definitions: DefinitionNames) {
  const { attempts } = words
  const filters = readFilters(query)
  const { integrationDefinitionId: integration, outcome } = filters
  const values = [
    ['customer', attempts.customer, filters.accountIdentifier],
    [
      'integration',
      attempts.integration,
      integration && (definitions.get(integration)?.name ?? integration),
    ],
    ['outcome', attempts.outcome, outcome && attempts.outcomes[outcome]],
    ['code', attempts.code, filters.code],
    ['link', attempts.link, filters.linkId],
    ['connection', attempts.connection, filters.integrationAccountId],
    ['session', attempts.vias.connect_session, filters.connectSessionId],
    ['request', attempts.request, filters.requestId],
  ] as const
  return values.flatMap(([name, label, value]) =>
    value === undefined
      ? []
      : [
          {
            label: `${label}: ${value}`,
            href: withQuery({ path: PATH, query }, { [name]: undefined, cursor: undefined }),
          },
        ],
  )
}

async function showTimes(view: View, names: Promise<DefinitionNames>): Promise<Html> {
  const { api, words, query } = view
  const cursor = query.get('cursor') ?? undefined
  const page = await api.attempts.list({ ...readFilters(query), cursor }).page(PAGE)
  const definitions = await names
  if (page.items.length === 0) {
    const isFiltered = [...query.keys()].some((name) => name !== 'view' && query.get(name) !== '')
    const { attempts } = words
    return emptyState({
      icon: 'attempts',
      text: isFiltered ? attempts.noneFiltered : attempts.none,
    })
  }
  const isAlone = page.items.length === 1
  return html`<ol class="disclosures">${page.items.map((attempt) => renderEntry(view, attempt, definitions, isAlone))}</ol>${pager({ path: PATH, query }, page.nextCursor, words)}`
}

/** A row that opens: without the script, too. */
function renderEntry(
  view: View,
  attempt: Attempt,
  definitions: DefinitionNames,
  isOpen: boolean,
): Html {
  const { words, now } = view
  const { attempts } = words
  const { integrationDefinitionId: id, integrationDefinitionName, code } = attempt
  const name = integrationDefinitionName ?? attempts.unknownTool
  const iconUrl = id === null ? '' : (definitions.get(id)?.icon ?? '')
  return html`<li id="row-${attempt.attemptId}"><details${isOpen ? html` open` : ''}><summary>${tile(iconUrl)}<span class="two"><b>${name}</b><small>${attempt.accountIdentifier ?? attempt.authType ?? ''}</small></span>
${attemptBadge(attempt, words)}<code>${code}</code><span class="end">${timeAgo(attempt.at, now, words)}</span></summary>
<div class="disclosure"><p>${explainAttempt(attempt, words)}</p>${renderFacts(view, attempt)}</div></details></li>
`
}

/** How an attempt ended: icon, colour and words. */
export function attemptBadge({ outcome }: Pick<Attempt, 'outcome'>, { attempts }: Words): Html {
  const [tone, mark] = TONES[outcome] ?? (['quiet', 'info'] as const)
  const label = attempts.outcomes[outcome as keyof typeof attempts.outcomes] ?? outcome
  return html`<span class="status ${tone}">${icon(mark, 16)}<span>${label}</span></span>`
}

const TONES: Readonly<Record<string, readonly [tone: string, icon: IconName]>> = {
  connected: ['good', 'good'],
  accepted: ['good', 'check'],
  failed: ['bad', 'error'],
  cancelled: ['quiet', 'close'],
  abandoned: ['quiet', 'clock'],
}

/** Why it failed, in a sentence; otherwise how it ended. */
export function explainAttempt(
  { code, outcome }: Pick<Attempt, 'code' | 'outcome'>,
  { attempts }: Words,
): string {
  const { checkCodes, outcomeTexts } = attempts
  if (code !== null)
    return checkCodes[code as keyof typeof checkCodes] ?? explainCode(code) ?? outcomeTexts.failed
  return outcomeTexts[outcome as keyof typeof outcomeTexts] ?? ''
}

function nameActor(code: string | null, { attempts }: Words): string | undefined {
  const actor: FailureActor | undefined = code === null ? undefined : findFailureActor(code)
  return actor && attempts.actors[actor]
}

function renderFacts({ words }: View, attempt: Attempt): Html {
  const { attempts } = words
  const { accountIdentifier, integrationAccountId, linkId, requestId, code } = attempt
  const { vias } = attempts
  return facts([
    [attempts.who, nameActor(code, words)],
    [attempts.customer, accountIdentifier === null ? undefined : customerLink(accountIdentifier)],
    [attempts.method, attempt.authType ?? undefined],
    [attempts.via, vias[attempt.via as keyof typeof vias] ?? attempt.via],
    [
      attempts.link,
      linkId === null ? undefined : html`<a href="/console/links/${linkId}">${linkId}</a>`,
    ],
    [
      attempts.connection,
      integrationAccountId === null
        ? undefined
        : html`<a href="/console/connections/${integrationAccountId}">${attempts.showConnection}</a>`,
    ],
    [
      attempts.code,
      code === null ? undefined : html`<a href="/docs/errors#${code}"><code>${code}</code></a>`,
    ],
    [
      attempts.provider,
      attempt.providerStatus === null ? undefined : `HTTP ${attempt.providerStatus}`,
    ],
    [
      attempts.providerRequest,
      attempt.providerRequestId === null ? undefined : copyable(attempt.providerRequestId, words),
    ],
    [attempts.request, requestId === null ? undefined : requestLink(requestId, words)],
    [attempts.at, exactTime(attempt.at)],
  ])
}

interface Group {
  readonly code: string
  readonly count: number
  readonly names: readonly string[]
  readonly last: string
}

async function showCodes(view: View): Promise<Html> {
  const { api, words, query, now } = view
  const { attempts } = words
  const filters = { ...readFilters(query), outcome: 'failed' } as const
  const { total, groups } = await api.attempts.count({ ...filters, last: COUNTED })
  if (total === 0) return emptyState({ icon: 'good', text: attempts.noFailures })
  const count = formatNumber(total)
  const note = total < COUNTED ? attempts.counted(count) : attempts.countedLast(count)
  const rows = groupByCode(groups)
  return html`${table<Group>({
    label: attempts.byCode,
    rows,
    key: ({ code }) => code,
    href: ({ code }) =>
      withQuery({ path: PATH, query }, { view: undefined, code, outcome: 'failed' }),
    columns: [
      {
        name: attempts.code,
        width: 'wide',
        cell: ({ code }) =>
          html`<span class="two"><b><code>${code}</code></b><small>${explainAttempt({ code, outcome: 'failed' }, words)}</small></span>`,
      },
      {
        name: attempts.who,
        width: 'medium',
        onPhone: 'hidden',
        cell: ({ code }) => nameActor(code, words) ?? '',
      },
      {
        name: attempts.affected,
        width: 'medium',
        cell: ({ names }) =>
          names.length === 1 ? attempts.only(names[0] ?? '') : names.join(', '),
      },
      {
        name: attempts.failures,
        width: 'narrow',
        align: 'end',
        cell: (group) => formatNumber(group.count),
      },
      {
        name: attempts.last,
        width: 'narrow',
        align: 'end',
        onPhone: 'hidden',
        cell: ({ last }) => timeAgo(last, now, words),
      },
    ],
  })}<p class="quiet under">${note}</p>`
}

/** The most frequent first. */
function groupByCode(groups: AttemptCount['groups']): Group[] {
  return [...Map.groupBy(groups, ({ code }) => code ?? 'unknown')]
    .map(([code, all]) => ({
      code,
      count: all.reduce((sum, { count }) => sum + count, 0),
      names: [...new Set(all.flatMap((one) => one.integrationDefinitionName ?? []))],
      last:
        all
          .map(({ lastAt }) => lastAt)
          .toSorted()
          .at(-1) ?? '',
    }))
    .toSorted((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1))
}
