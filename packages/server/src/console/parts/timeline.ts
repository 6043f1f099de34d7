import { type Html, html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'
import { icon } from './icons.ts'
import type { ConnectionStatus } from './status.ts'
import { requestLink } from './subject-link.ts'
import { exactTime, timeAgo } from './time.ts'

/** What happened at one time. */
export interface TimelineEntry {
  /** ISO 8601. */
  readonly at: string
  readonly tone: ConnectionStatus['tone']
  readonly icon: ConnectionStatus['icon']
  readonly text: Html | string
  readonly detail?: Html | string | undefined
  readonly requestId?: string | undefined
}

/** What happened, newest first. */
export function timeline(entries: readonly TimelineEntry[], now: number, words: Words): Html {
  return html`<ol class="timeline">${entries.map(
    (entry) =>
      html`<li class="${entry.tone}"><span class="dot">${icon(entry.icon, 16)}</span><div><p>${entry.text}</p><p class="quiet">${timeAgo(entry.at, now, words)} · ${exactTime(entry.at)}${entry.detail === undefined || entry.detail === '' ? '' : html` · ${entry.detail}`}</p>${entry.requestId === undefined ? '' : html`<p class="quiet">${words.app.requestId} ${requestLink(entry.requestId, words)}</p>`}</div></li>
`,
  )}</ol>`
}
