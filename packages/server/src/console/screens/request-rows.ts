import type { LoggedRequest } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { explainCode } from '../parts/explain-code.ts'
import { icon } from '../parts/icons.ts'
import type { ConnectionStatus } from '../parts/status.ts'
import { type Column, formatNumber, table } from '../parts/table.ts'
import { clockTime, timeAgo } from '../parts/time.ts'
import type { View } from '../screen.ts'
import type { Words } from '../words/en.ts'

export interface RequestTableOptions {
  /** In a panel, which has less room. */
  readonly isCompact?: boolean
}

/** Requests as rows that lead to their pages. */
export function requestTable(
  { words, now }: View,
  rows: readonly LoggedRequest[],
  { isCompact = false }: RequestTableOptions = {},
): Html {
  const { requests } = words
  const duration: Column<LoggedRequest> = {
    name: requests.duration,
    width: 'narrow',
    align: 'end',
    onPhone: 'hidden',
    cell: ({ durationMs }) => requests.milliseconds(formatNumber(durationMs)),
  }
  return table<LoggedRequest>({
    label: requests.requests,
    rows,
    key: ({ requestLogId }) => requestLogId,
    href: requestHref,
    columns: [
      {
        name: requests.request,
        width: 'wide',
        cell: (row) =>
          html`<span class="two"><b><code>${row.method} ${shortenPath(row)}</code></b><small>${describeOperation(row, words)}</small></span>`,
      },
      {
        name: requests.status,
        width: isCompact ? 'narrow' : 'medium',
        cell: (row) => requestStatus(row, words),
      },
      ...(isCompact ? [] : [duration]),
      {
        name: requests.at,
        width: 'narrow',
        align: 'end',
        cell: ({ at }) => (isCompact ? timeAgo(at, now, words) : clockTime(at, now)),
      },
    ],
  })
}

/** The names of the parameters of a route take more room than they tell. */
function shortenPath({ kind, path }: LoggedRequest): string {
  if (path === null) return '…'
  return kind === 'api' ? path.replaceAll(/:\w+/g, ':id') : path
}

export function requestHref({ requestLogId }: Pick<LoggedRequest, 'requestLogId'>): string {
  return `/console/logs/requests/${requestLogId}`
}

/** The operation of the API, or the host of the provider and what the request is for. */
export function describeOperation(
  { kind, operation, host }: LoggedRequest,
  { requests }: Words,
): string {
  if (kind === 'api') return operation ?? ''
  return [host, nameOperation(operation, requests)].filter(Boolean).join(' · ')
}

/** The operation in words, if it is one of a provider. */
export function nameOperation(
  operation: string | null,
  { operations }: Words['requests'],
): string | undefined {
  return operations[operation as keyof typeof operations] ?? operation ?? undefined
}

/** Icon, status and code, and for how many requests it stands. */
export function requestStatus(request: LoggedRequest, { requests }: Words): Html {
  const { status, code, represents, hasExchange } = request
  const tone = getTone(request)
  const mark = tone === 'good' ? 'good' : tone === 'quiet' ? 'info' : 'error'
  const times =
    represents === 1
      ? ''
      : html` <span class="count" title="${requests.representsText(formatNumber(represents))}">${requests.representsTimes(formatNumber(represents))}</span>`
  return html`<span class="two"><span class="status ${tone}">${icon(mark, 16)}<span>${status ?? requests.noResponse}</span>${times}</span>${code === null ? '' : html`<small><code>${code}</code></small>`}${hasExchange ? html`<small>${requests.recorded}</small>` : ''}</span>`
}

function getTone({ status }: LoggedRequest): ConnectionStatus['tone'] {
  if (status === null || status >= 400) return 'bad'
  return status >= 300 ? 'quiet' : 'good'
}

/** What the code of a request means, in a sentence; undefined without a code. */
export function explainRequest(
  { kind, code, status, hasExchange }: LoggedRequest,
  { requests }: Words,
): string | undefined {
  const { providerCodes } = requests
  if (kind === 'api') return code === null ? undefined : explainCode(code)
  if (code !== null) return providerCodes[code as keyof typeof providerCodes] ?? explainCode(code)
  if (status === null || status < 400) return undefined
  return hasExchange ? requests.providerStatusRecorded : requests.providerStatus
}
