import type { LoggedRequest } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, copyable, facts, panel, snippet } from '../parts/content.ts'
import { requestLink } from '../parts/subject-link.ts'
import { formatNumber } from '../parts/table.ts'
import { exactTime } from '../parts/time.ts'
import type { Screen, View } from '../screen.ts'
import { renderExchange } from './exchange.ts'
import { explainRequest, nameOperation, requestStatus } from './request-rows.ts'
import { renderTrail } from './request-trail.ts'

const PATH = '/console/logs'

/** What became of one request? */
export const requestScreen: Screen = {
  path: '/logs/requests/:requestLogId',
  async show(view) {
    const { api, params, words, publicUrl } = view
    const { requests } = words
    const request = await api.requests.get(params.requestLogId ?? '')
    const { requestId, integrationDefinitionId: id } = request
    const [exchange, definitions, trail] = await Promise.all([
      renderExchange(view, request),
      id === null ? undefined : view.definitionNames(),
      requestId === null ? undefined : renderTrail(view, requestId, { isCompact: true }),
    ])
    const name = id === null ? undefined : (definitions?.get(id)?.name ?? id)
    const meaning = explainRequest(request, words)
    return {
      title: `${request.method} ${request.path ?? '…'}`,
      section: 'logs',
      parent: {
        href: request.kind === 'api' ? PATH : `${PATH}?view=provider`,
        label: words.logs.tabs[request.kind as 'api' | 'provider'],
      },
      note: exactTime(request.at),
      banner:
        meaning === undefined
          ? undefined
          : banner('bad', {
              title: request.code ?? `HTTP ${request.status}`,
              text: meaning,
            }),
      main: html`<div class="columns"><div>${exchange}${panel(requests.trail, trail ?? html`<p class="quiet">${requests.noTrail}</p>`)}</div>
<aside>${panel(requests.facts, renderFacts(view, request, name))}${panel(
        words.logs.use,
        html`${snippet(`const request = await linchpin.requests.get('${request.requestLogId}')`, words, 'TypeScript')}${snippet(`curl '${publicUrl}/api/v1/request/${request.requestLogId}' \\\n  -H "Authorization: Bearer $LINCHPIN_TOKEN"`, words, 'curl')}`,
      )}</aside></div>`,
    }
  },
}

function renderFacts(
  { words }: View,
  request: LoggedRequest,
  integration: string | undefined,
): Html {
  const { requests } = words
  const { integrationAccountId: account, code, requestId, represents, tokenId, kind } = request
  const isApi = kind === 'api'
  return facts([
    [requests.status, requestStatus({ ...request, code: null, hasExchange: false }, words)],
    [
      requests.code,
      code === null
        ? undefined
        : isApi
          ? html`<a href="/docs/errors#${code}"><code>${code}</code></a>`
          : html`<code>${code}</code>`,
    ],
    [requests.direction, requests.directions[kind as keyof typeof requests.directions] ?? kind],
    [requests.operation, nameOperation(request.operation, requests)],
    [requests.host, request.host ?? undefined],
    [requests.path, request.path === null ? requests.gone : html`<code>${request.path}</code>`],
    [requests.duration, requests.milliseconds(formatNumber(request.durationMs))],
    [requests.integration, integration],
    [
      requests.connection,
      account === null
        ? undefined
        : html`<a href="/console/connections/${account}">${requests.showConnection}</a>`,
    ],
    [requests.token, tokenId === null ? undefined : copyable(tokenId, words)],
    [requests.via, request.via === 'console' ? requests.console : undefined],
    [requests.requestId, requestId === null ? undefined : requestLink(requestId, words)],
    [
      requests.represents,
      represents === 1 ? undefined : requests.representsText(formatNumber(represents)),
    ],
    ['ID', copyable(request.requestLogId, words)],
  ])
}
