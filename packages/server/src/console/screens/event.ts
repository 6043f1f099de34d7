import { html } from '../../platform/ui/html.ts'
import { copyable, facts, linkButton, panel, snippet } from '../parts/content.ts'
import { customerLink } from '../parts/customer-link.ts'
import { jsonTree } from '../parts/json-tree.ts'
import { requestLink, subjectLink } from '../parts/subject-link.ts'
import { exactTime } from '../parts/time.ts'
import type { Screen } from '../screen.ts'

const PATH = '/console/logs'

/** What exactly happened? */
export const eventScreen: Screen = {
  path: '/logs/:eventId',
  async show({ api, params, words, publicUrl }) {
    const { logs } = words
    const event = await api.events.get(params.eventId ?? '')
    const { cause } = event
    const causes = words.connection.causes as Readonly<Record<string, string>>
    return {
      title: event.type,
      section: 'logs',
      parent: { href: `${PATH}?view=events`, label: words.sections.logs },
      note: exactTime(event.timestamp),
      actions: [
        linkButton(
          { text: logs.sameSubject, icon: 'filter' },
          `${PATH}?view=events&subject=${encodeURIComponent(event.subject)}`,
        ),
      ],
      main: html`<div class="columns"><div>${panel(logs.data, jsonTree(event.data, words))}</div>
<aside>${panel(
        logs.facts,
        facts([
          [logs.subject, subjectLink(event.subject)],
          [
            logs.customerLabel,
            event.accountIdentifier === null ? undefined : customerLink(event.accountIdentifier),
          ],
          [logs.cause, causes[cause.via] ?? cause.via],
          [
            words.app.requestId,
            cause.requestId === null ? undefined : requestLink(cause.requestId, words),
          ],
          [logs.sequence, `${event.sequence}`],
          ['ID', copyable(event.id, words)],
        ]),
      )}${panel(
        logs.use,
        html`${snippet(`const event = await linchpin.events.get('${event.id}')`, words, 'TypeScript')}${snippet(`curl '${publicUrl}/api/v1/event/${event.id}' \\\n  -H "Authorization: Bearer $TOKEN"`, words, 'curl')}`,
      )}</aside></div>`,
    }
  },
}
