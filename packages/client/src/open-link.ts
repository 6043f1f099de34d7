import { frameUrl } from './frame-url.ts'
import { type OpenFrame, openFrame } from './open-frame.ts'
import type { LinkHandle, OpenLinkOptions } from './options.ts'

/**
 * Opens the connect page over yours, or in `container`. Nothing that is typed there ever reaches you: only ids, names and
 * codes do. There is one dialog, and one page in a container: opened again for the same it gets the focus, and the
 * callbacks of its first opening stay; opened for something else it ends with the reason `replaced`.
 *
 * @throws TypeError when `baseURL` is no http address, or `linkId` is missing
 */
export function openLink(options: OpenLinkOptions): LinkHandle {
  return openOrFocusLink(options).handle
}

/** What is open, and whether it was opened now: else it belongs to whoever opened it before. */
export function openOrFocusLink(options: OpenLinkOptions): {
  readonly handle: LinkHandle
  readonly isNew: boolean
} {
  const container = options.container ?? null
  const key = frameUrl(options, '').href
  const existing = openFrames.get(container)
  // What never came up is tried again.
  if (existing?.key === key && !existing.frame.hasFailed()) {
    existing.frame.focus()
    return { handle: existing.frame.handle, isNew: false }
  }
  existing?.frame.replace()
  const frame = openFrame(options, () => {
    if (openFrames.get(container)?.frame === frame) openFrames.delete(container)
  })
  openFrames.set(container, { key, frame })
  return { handle: frame.handle, isNew: true }
}

/** What is open, by its container; the dialog has none. */
const openFrames = new Map<
  HTMLElement | null,
  { readonly key: string; readonly frame: OpenFrame }
>()
