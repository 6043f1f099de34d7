import type { Link } from '@linchpin/sdk'
import { html } from '../../platform/ui/html.ts'
import { linkButton, snippet } from '../parts/content.ts'
import { emptyState, formatNumber, pager, table, tabs, withQuery } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Screen, View } from '../screen.ts'

const PATH = '/console/links'
const PAGE = 50
const STATES = ['open', 'expired', 'revoked'] as const
type State = (typeof STATES)[number]

/** How do customers get in? */
export const linksScreen: Screen = {
  path: '/links',
  async show(view) {
    const { api, words, query } = view
    const state = STATES.find((each) => each === query.get('state')) ?? 'open'
    const page = await api.links
      .list({
        state,
        order: '-createdAt',
        accounts: false,
        counters: true,
        cursor: query.get('cursor') ?? undefined,
      })
      .page(PAGE)
    return {
      title: words.sections.links,
      section: 'links',
      actions: [
        linkButton(
          {
            text: words.links.create,
            icon: 'plus',
            kind: 'primary',
            disabledBecause: whyNot(view, 'links:write'),
          },
          `${PATH}/new`,
        ),
      ],
      isLive: true,
      tabs: linkTabs(view, state),
      main: html`${renderRows(view, page.items, state)}${pager({ path: PATH, query }, page.nextCursor, words)}`,
    }
  },
}

/** The states of links, and the sessions of single customers. */
export function linkTabs({ words }: View, current: State | 'sessions') {
  return tabs(words.links.tabs, [
    ...STATES.map((state) => ({
      name: words.links.states[state],
      href: withQuery(
        { path: PATH, query: new URLSearchParams() },
        { state: state === 'open' ? undefined : state },
      ),
      isCurrent: current === state,
    })),
    {
      name: words.links.sessions,
      href: `${PATH}/sessions`,
      isCurrent: current === 'sessions',
    },
  ])
}

/** What a link offers, in a few words. */
export function describeOffer(
  link: Pick<Link, 'category' | 'integrationDefinitionIds' | 'preferOAuth'>,
  { links }: View['words'],
): string {
  const { category, integrationDefinitionIds: ids, preferOAuth } = link
  const names = category.map(({ name }) => name).join(', ')
  const offer = ids.length > 0 ? links.chosen(ids.length) : names || links.all
  return preferOAuth ? `${offer} · ${links.oauthOnly}` : offer
}

function renderRows(view: View, rows: readonly Link[], state: State) {
  const { words, now, publicUrl } = view
  const { links } = words
  if (rows.length === 0)
    return emptyState({
      icon: 'links',
      text: state === 'open' ? links.none : links.noneInState,
      ...(state === 'open' && {
        action: linkButton(
          {
            text: links.create,
            icon: 'plus',
            disabledBecause: whyNot(view, 'links:write'),
          },
          `${PATH}/new`,
        ),
        more: snippet(
          `curl -X POST '${publicUrl}/api/v1/link' \\\n  -H "Authorization: Bearer $LINCHPIN_TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d '{ "linkName": "Onboarding" }'`,
          words,
        ),
      }),
    })
  const count = (name: string, read: (link: Link) => number | undefined) => ({
    name,
    width: 'narrow' as const,
    align: 'end' as const,
    onPhone: 'hidden' as const,
    cell: (link: Link) => formatNumber(read(link) ?? 0),
  })
  return table<Link>({
    label: words.sections.links,
    rows,
    key: (link) => link.linkId,
    href: (link) => `${PATH}/${link.linkId}`,
    columns: [
      {
        name: links.link,
        width: 'wide',
        cell: (link) =>
          html`<span class="two"><b>${link.linkName}</b><small>${describeOffer(link, words)}</small></span>`,
      },
      count(links.opens, ({ counters }) => counters?.opens),
      count(links.attempts, ({ counters }) => counters?.attempts),
      count(links.connected, ({ counters }) => counters?.successes),
      {
        name: state === 'revoked' ? links.revokedAt : links.expires,
        width: 'narrow',
        align: 'end',
        cell: (link) => {
          if (state === 'revoked') return timeAgo(link.updatedAt, now, words)
          return link.expiresIn === 0
            ? links.never
            : timeAgo(Date.parse(link.createdAt) + link.expiresIn * 1_000, now, words)
        },
      },
    ],
  })
}

/** When a link expires; undefined if it does not. */
export function describeExpiry({ createdAt, expiresIn }: Link) {
  return expiresIn === 0 ? undefined : exactTime(Date.parse(createdAt) + expiresIn * 1_000)
}
