import { html } from '../../platform/ui/html.ts'
import { tabs } from '../parts/table.ts'
import type { Screen } from '../screen.ts'
import { showEvents } from './log-events.ts'
import { showRequests } from './log-requests.ts'

const PATH = '/console/logs'
const VIEWS = ['api', 'provider', 'events'] as const

/** What happened at 14:02? */
export const logsScreen: Screen = {
  path: '/logs',
  async show(view) {
    const { words, query } = view
    const current = readView(query)
    const shown = await (current === 'events' ? showEvents(view) : showRequests(view, current))
    return {
      ...shown,
      title: words.sections.logs,
      section: 'logs',
      note: html`${words.logs.note}`,
      tabs: tabs(
        words.logs.views,
        VIEWS.map((name) => ({
          name: words.logs.tabs[name],
          href: name === 'api' ? PATH : `${PATH}?view=${name}`,
          isCurrent: name === current && !query.has('request'),
        })),
      ),
    }
  },
}

function readView(query: URLSearchParams): (typeof VIEWS)[number] {
  return VIEWS.find((name) => name === query.get('view')) ?? 'api'
}
