import { type OpenFrame, openFrame } from './open-frame.ts'
import { buildFrameUrl, type LinkHandle, type OpenLinkOptions } from './options.ts'

/**
 * Opens the connect page over yours, or in `container`. You never receive user input, only ids, names and codes. There
 * is one dialog, and one page per container: if the same page is opened again, it gets the focus and the callbacks of
 * the first call remain; if another page is opened, the current one ends with the reason `replaced`.
 *
 * @throws TypeError when `baseURL` is not an http(s) URL, or neither `linkId` nor `token` is given
 */
export function openLink(options: OpenLinkOptions): LinkHandle {
  return openOrFocusLink(options).handle
}

/** The open page, and whether this call opened it; otherwise it belongs to an earlier call. */
export function openOrFocusLink(options: OpenLinkOptions): {
  readonly handle: LinkHandle
  readonly isNew: boolean
} {
  const container = options.container ?? null
  const key = buildFrameUrl(options, '').href
  const existing = openFrames.get(container)
  // A page that did not load is opened again.
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

/** Open pages by container; the dialog has none. */
const openFrames = new Map<
  HTMLElement | null,
  { readonly key: string; readonly frame: OpenFrame }
>()
