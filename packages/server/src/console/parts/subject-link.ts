import { type Html, html } from '../../platform/ui/html.ts'

/** The screens of resources, by the prefix of their IDs. */
const SCREENS: Readonly<Record<string, string>> = {
  acc: '/console/connections/',
  evt: '/console/logs/',
  whe: '/console/webhooks/',
}

/** The ID of a resource, as a link if it has a screen. */
export function subjectLink(subject: string): Html {
  const path = SCREENS[subject.split('_')[0] ?? '']
  return path === undefined
    ? html`<code>${subject}</code>`
    : html`<a href="${path}${encodeURIComponent(subject)}"><code>${subject}</code></a>`
}
