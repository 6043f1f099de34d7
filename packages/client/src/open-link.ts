import { frameUrl } from './frame-url.ts'
import type { LinkHandle, OpenLinkOptions } from './options.ts'
import { type OpenVisit, openVisit } from './visit.ts'

/**
 * Opens the connect page over yours, or in `container`. Nothing that is typed there ever reaches you: only ids, names and
 * codes do. There is one dialog, and one page in a container: opened again for the same it gets the focus, and the
 * callbacks of its first opening stay; opened for something else it ends with the reason `replaced`.
 *
 * @throws TypeError when `baseURL` is no http address, or `linkId` is missing
 */
export function openLink(options: OpenLinkOptions): LinkHandle {
  return joinLink(options).handle
}

/** What is open, and whether it was opened now: else it belongs to whoever opened it before. */
export function joinLink(options: OpenLinkOptions): {
  readonly handle: LinkHandle
  readonly isNew: boolean
} {
  const place = options.container ?? null
  const key = frameUrl(options, '').href
  const there = visits.get(place)
  // What never came up is tried again.
  if (there?.key === key && !there.visit.isRefused()) {
    there.visit.focus()
    return { handle: there.visit.handle, isNew: false }
  }
  there?.visit.replace()
  const visit = openVisit(options, () => {
    if (visits.get(place)?.visit === visit) visits.delete(place)
  })
  visits.set(place, { key, visit })
  return { handle: visit.handle, isNew: true }
}

/** What is open, by its container; the dialog has none. */
const visits = new Map<HTMLElement | null, { readonly key: string; readonly visit: OpenVisit }>()
