import { type Html, html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'
import { copyable } from './content.ts'

/** The screens of resources, by the prefix of their IDs. */
const SCREENS: Readonly<Record<string, string>> = {
  acc: '/console/connections/',
  evt: '/console/logs/',
  req: '/console/logs/requests/',
  whe: '/console/webhooks/',
}

/** The ID of a resource, as a link if it has a screen. */
export function subjectLink(subject: string): Html {
  const path = SCREENS[subject.split('_')[0] ?? '']
  return path === undefined
    ? html`<code>${subject}</code>`
    : html`<a href="${path}${encodeURIComponent(subject)}"><code>${subject}</code></a>`
}

/** A request ID, which can be copied and leads to everything that the request has left. */
export function requestLink(requestId: string, words: Words): Html {
  const href = `/console/logs?request=${encodeURIComponent(requestId)}`
  return copyable(requestId, words, html`<a href="${href}"><code>${requestId}</code></a>`)
}
