import type { Customer } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { linkButton, snippet } from '../parts/content.ts'
import { customerPath } from '../parts/customer-link.ts'
import { describeStatus, statusBadge } from '../parts/status.ts'
import { emptyState, filterChips, formatNumber, pager, table, withQuery } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Screen, View } from '../screen.ts'

const PATH = '/console/customers'
const PAGE = 50

/** Who has connected something? */
export const customersScreen: Screen = {
  path: '/customers',
  async show(view) {
    const { api, words, query } = view
    const q = readSearch(query)
    const cursor = query.get('cursor') ?? undefined
    const page = await api.customers.list({ q, cursor }).page(PAGE)
    const chips =
      q === undefined
        ? []
        : [
            {
              label: `${words.app.search}: ${q}`,
              href: withQuery({ path: PATH, query }, { q: undefined, cursor: undefined }),
            },
          ]
    return {
      title: words.sections.customers,
      section: 'customers',
      isLive: true,
      main: html`${filterForm(view)}${filterChips(chips, words)}${renderRows(view, page.items, q)}${pager({ path: PATH, query }, page.nextCursor, words)}`,
    }
  },
}

function readSearch(query: URLSearchParams): string | undefined {
  return query.get('q')?.trim() || undefined
}

function filterForm({ words, query }: View): Html {
  const { searchLabel } = words.customers
  return html`<form class="filters" action="${PATH}" role="search" data-filter>
<label class="search"><span class="unseen">${searchLabel}</span><input type="search" name="q" value="${query.get('q')}" placeholder="${searchLabel}" maxlength="255" autocomplete="off" spellcheck="false" data-search></label>
</form>`
}

function renderRows(view: View, rows: readonly Customer[], q: string | undefined): Html {
  const { words, now } = view
  const { customers } = words
  if (rows.length === 0) return renderEmpty(view, q)
  return table<Customer>({
    label: words.sections.customers,
    rows,
    // An ID of an element must have no spaces.
    key: ({ accountIdentifier }) => Buffer.from(accountIdentifier).toString('base64url'),
    href: ({ accountIdentifier }) => customerPath(accountIdentifier),
    columns: [
      {
        name: customers.customer,
        width: 'wide',
        cell: ({ accountIdentifier }) => html`<b><bdi>${accountIdentifier}</bdi></b>`,
      },
      { name: customers.state, width: 'medium', cell: (row) => customerState(row, words) },
      {
        name: customers.connections,
        width: 'narrow',
        align: 'end',
        cell: ({ connections }) => html`<span class="number">${formatNumber(connections)}</span>`,
      },
      {
        name: customers.first,
        width: 'narrow',
        onPhone: 'hidden',
        align: 'end',
        cell: ({ firstAt }) => timeAgo(firstAt, now, words),
      },
      {
        name: customers.last,
        width: 'narrow',
        onPhone: 'hidden',
        align: 'end',
        cell: ({ lastAt }) => timeAgo(lastAt, now, words),
      },
    ],
  })
}

/** What most needs someone among the connections of a customer. */
export function customerState({ byStatus, connections }: Customer, words: View['words']): Html {
  const status = (['error', 'needs_reauth', 'pending'] as const).find((each) => byStatus[each] > 0)
  const described = describeStatus({ status: status ?? 'active' }, words)
  const count = status === undefined ? connections : byStatus[status]
  return statusBadge({
    ...described,
    label:
      count === connections
        ? described.label
        : words.customers.some(described.label, formatNumber(count), formatNumber(connections)),
  })
}

function renderEmpty({ words, publicUrl, ...view }: View, q: string | undefined): Html {
  const { customers } = words
  // Who has only attempts or sessions is not in the list.
  if (q !== undefined)
    return emptyState({
      icon: 'search',
      text: customers.noneFiltered,
      action: linkButton({ text: customers.openExact }, customerPath(q)),
    })
  return emptyState({
    icon: 'customers',
    text: customers.none,
    action: linkButton(
      {
        text: words.connectSessions.create,
        icon: 'plus',
        disabledBecause: whyNot({ ...view, words }, 'links:write'),
      },
      '/console/links/sessions/new',
    ),
    more: snippet(
      `curl -X POST '${publicUrl}/api/v1/connect_session' \\\n  -H "Authorization: Bearer $LINCHPIN_TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d '{ "accountIdentifier": "customer-1" }'`,
      words,
    ),
  })
}
