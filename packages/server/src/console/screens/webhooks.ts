import type { WebhookEndpoint } from '@linchpin/sdk'
import { html } from '../../platform/ui/html.ts'
import { linkButton, snippet } from '../parts/content.ts'
import { statusBadge } from '../parts/status.ts'
import { emptyState, formatNumber, pager, table } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import type { Screen, View } from '../screen.ts'
import { showForbidden } from './forbidden.ts'
import { describeEndpoint } from './webhook-state.ts'

const PATH = '/console/webhooks'
const PAGE = 50

/** Does my backend get the events? */
export const webhooksScreen: Screen = {
  path: '/webhooks',
  async show(view) {
    const forbidden = showForbidden(view, 'webhooks', 'webhooks')
    if (forbidden !== undefined) return forbidden
    const { api, words, query } = view
    const { items, nextCursor } = await api.webhookEndpoints
      .list({ cursor: query.get('cursor') ?? undefined })
      .page(PAGE)
    const add = linkButton(
      { text: words.webhooks.add, icon: 'plus', kind: 'primary' },
      `${PATH}/new`,
    )
    const isEmpty = items.length === 0
    return {
      title: words.sections.webhooks,
      section: 'webhooks',
      actions: isEmpty ? [] : [add],
      isLive: true,
      main: isEmpty
        ? emptyState({
            icon: 'webhooks',
            text: words.webhooks.none,
            action: add,
            more: snippet(SNIPPET, words, 'TypeScript'),
          })
        : html`${renderEndpoints(view, items)}${pager({ path: PATH, query }, nextCursor, words)}`,
    }
  },
}

const SNIPPET = `const { secret } = await linchpin.webhookEndpoints.create({
  url: 'https://example.com/linchpin',
  types: ['account.*'],
})`

function renderEndpoints({ words, now }: View, rows: readonly WebhookEndpoint[]) {
  const { webhooks } = words
  return table<WebhookEndpoint>({
    label: words.sections.webhooks,
    rows,
    key: (row) => row.webhookEndpointId,
    href: (row) => `${PATH}/${row.webhookEndpointId}`,
    columns: [
      {
        name: webhooks.endpoint,
        width: 'wide',
        cell: (row) =>
          html`<span class="two"><b>${row.url}</b><small>${row.description || row.types.join(', ') || webhooks.allTypes}</small></span>`,
      },
      {
        name: webhooks.state,
        width: 'medium',
        cell: (row) => statusBadge(describeEndpoint(row, now, words)),
      },
      {
        name: webhooks.lastSuccess,
        width: 'narrow',
        onPhone: 'hidden',
        cell: (row) =>
          row.lastSuccessAt === null ? webhooks.never : timeAgo(row.lastSuccessAt, now, words),
      },
      {
        name: webhooks.pending,
        width: 'narrow',
        align: 'end',
        onPhone: 'hidden',
        cell: (row) => formatNumber(row.pending),
      },
    ],
  })
}
