import type { LinkInit } from '@linchpin/client'
import { createHost, type Host } from './host.ts'
import { getMainElement } from './page-state.ts'
import { naturalHeight } from './post-to-host.ts'

interface FrameBridgeOptions {
  readonly onInit: (init: LinkInit) => void
  readonly onClose: () => void
  readonly onEscape: () => void
}

/** Connects to the host page, reports the height, and handles Escape, which the host does not receive. */
export function createFrameBridge({
  onInit,
  onClose,
  onEscape,
}: FrameBridgeOptions): Host | undefined {
  const origins = (getMainElement().dataset.origins ?? '').split(' ').filter((one) => one !== '')
  const host = createHost({ origins, onInit, onClose, onFocus: focusEdge })
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) onEscape()
  })
  const postHeight = () => host?.post('resize', { height: naturalHeight(getMainElement()) })
  new ResizeObserver(postHeight).observe(document.body)
  return host
}

/** Moves the focus that enters from the host page. */
function focusEdge(edge: unknown): void {
  const focusable = [
    ...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea'),
  ].filter((one) => one.offsetParent !== null && one.tabIndex >= 0)
  ;(edge === 'end' ? focusable.at(-1) : focusable[0])?.focus()
}
