import type { BulkJob, BulkJobResult } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, copyable, linkButton, tile } from '../parts/content.ts'
import { type ConnectionStatus, statusBadge } from '../parts/status.ts'
import { pager, table } from '../parts/table.ts'
import type { Answer, DefinitionNames, Screen, View } from '../screen.ts'
import type { Words } from '../words/en.ts'
import { JOBS } from './bulk-jobs.ts'

const CONNECTIONS = '/console/connections'
const PAGE = 50

/** How far is it, and what became of each connection? */
export const bulkJobScreen: Screen = {
  path: '/connections/jobs/:bulkJobId',
  async show(view) {
    const { api, words, params, query } = view
    const [job, names] = await Promise.all([
      api.bulkJobs.get(params.bulkJobId ?? ''),
      view.definitionNames(),
    ])
    const from = Math.max(0, Number.parseInt(query.get('cursor') ?? '0', 10) || 0)
    const to = from + PAGE
    const next = to < job.results.length ? String(to) : undefined
    const path = `${JOBS}/${job.bulkJobId}`
    const hasPages = job.results.some(({ url }) => url !== undefined)
    return {
      title: words.bulk.titles[job.action as keyof typeof words.bulk.titles],
      section: 'connections',
      parent: { href: CONNECTIONS, label: words.sections.connections },
      actions: hasPages
        ? [linkButton({ text: words.bulk.download, kind: 'primary' }, `${path}/pages`)]
        : [],
      isLive: job.state === 'running',
      isProgress: job.state === 'running',
      main: html`${renderProgress(view, job)}${renderHint(view, job, hasPages)}${renderResults(view, job, names, job.results.slice(from, to))}${pager({ path, query }, next, words)}`,
    }
  },
}

/** The reconnect pages as a file for a spreadsheet. */
export const bulkJobPagesScreen: Screen = {
  path: '/connections/jobs/:bulkJobId/pages',
  async show({ api, params, words, definitionNames }): Promise<Answer> {
    const [job, names] = await Promise.all([
      api.bulkJobs.get(params.bulkJobId ?? ''),
      definitionNames(),
    ])
    const rows = job.results.flatMap((result) =>
      result.url === undefined
        ? []
        : [
            [
              result.accountIdentifier ?? '',
              names.get(result.integrationDefinitionId)?.name ?? '',
              result.integrationAccountName ?? '',
              result.integrationAccountId,
              result.url,
            ],
          ],
    )
    const { customer, integration, connection, page } = words.bulk
    const lines = [[customer, integration, connection, 'ID', page], ...rows]
    return {
      fileName: `reconnect-pages-${job.bulkJobId}.csv`,
      contentType: 'text/csv; charset=utf-8',
      body: lines.map((line) => `${line.map(toCell).join(',')}\r\n`).join(''),
    }
  },
}

/** RFC 4180. A spreadsheet would run a text that begins like a formula; some separate cells by semicolons, whatever the quotes say. */
function toCell(text: string): string {
  const safe = text.replace(/(^|[;\t\r\n])(\s*[=+\-@＝＋－＠])/g, "$1'$2")
  return `"${safe.replaceAll('"', '""')}"`
}

function renderProgress({ words }: View, { state, counts }: BulkJob): Html {
  const { bulk } = words
  const ended = counts.done + counts.failed + counts.skipped
  const outcomes = (['done', 'failed', 'skipped'] as const).filter((name) => counts[name] > 0)
  return html`<section class="progress" aria-label="${bulk.titles.check}"><p><b>${bulk.progress(ended, counts.total)}</b> <span class="quiet">${state === 'running' ? bulk.running : bulk.finished}</span></p>
<progress max="${counts.total}" value="${ended}" aria-label="${bulk.progress(ended, counts.total)}"></progress>
<ul class="outcomes">${outcomes.map((name) => html`<li>${statusBadge(toStatus(name, `${counts[name]} ${bulk.outcomes[name].toLowerCase()}`))}</li>`)}</ul></section>`
}

function renderHint({ words }: View, job: BulkJob, hasPages: boolean): Html | string {
  if (job.action !== 'connect_session' || job.counts.done === 0) return ''
  const { pagesHint, pagesGone } = words.bulk
  return banner('info', { title: hasPages ? pagesHint : pagesGone })
}

function renderResults(
  { words }: View,
  job: BulkJob,
  names: DefinitionNames,
  rows: readonly BulkJobResult[],
): Html {
  const { bulk } = words
  return table<BulkJobResult>({
    label: bulk.titles[job.action as keyof typeof bulk.titles],
    rows,
    key: (row) => row.integrationAccountId,
    href: (row) => `${CONNECTIONS}/${row.integrationAccountId}`,
    columns: [
      {
        name: bulk.connection,
        width: 'wide',
        cell: (row) => {
          const definition = names.get(row.integrationDefinitionId)
          return html`${tile(definition?.icon ?? '')}<span class="two"><b>${definition?.name ?? row.integrationDefinitionId}</b><small>${row.integrationAccountName ?? row.integrationAccountId}</small></span>`
        },
      },
      {
        name: bulk.customer,
        width: 'medium',
        onPhone: 'hidden',
        cell: (row) => row.accountIdentifier ?? '',
      },
      {
        name: bulk.outcome,
        width: 'medium',
        cell: (row) => statusBadge(describeResult(row, job, words)),
      },
      ...(job.action === 'connect_session'
        ? [
            {
              name: bulk.page,
              width: 'medium' as const,
              align: 'end' as const,
              cell: ({ url }: BulkJobResult) => (url === undefined ? '' : copyable(url, words)),
            },
          ]
        : []),
    ],
  })
}

function describeResult({ outcome, code }: BulkJobResult, job: BulkJob, words: Words) {
  const { bulk } = words
  const done =
    job.action === 'check' ? bulk.works : job.action === 'delete' ? bulk.disconnected : bulk.ready
  const name = outcome as keyof typeof bulk.outcomes
  if (name === 'done') return toStatus(name, done)
  return toStatus(name, code === null ? bulk.outcomes[name] : `${bulk.outcomes[name]} · ${code}`)
}

function toStatus(outcome: keyof Words['bulk']['outcomes'], label: string): ConnectionStatus {
  if (outcome === 'done') return { label, tone: 'good', icon: 'good' }
  if (outcome === 'failed') return { label, tone: 'bad', icon: 'error' }
  return { label, tone: 'quiet', icon: outcome === 'running' ? 'refresh' : 'clock' }
}
