import type { LinkInit } from '@linchpin/client'
import { createHost, type Host } from '../host.ts'
import { naturalHeight } from '../tell-host.ts'
import { mainOf } from './main-of.ts'

interface FrameParts {
  readonly onInit: (init: LinkInit) => void
  readonly onClose: () => void
  readonly onEscape: () => void
}

/** Finds the page around the frame, tells it how high this one is, and hears Escape, which the page around does not. */
export function standInFrame({ onInit, onClose, onEscape }: FrameParts): Host | undefined {
  const origins = (mainOf().dataset.origins ?? '').split(' ').filter((one) => one !== '')
  const host = createHost({ origins, onInit, onClose, onFocus: focusFrom })
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) onEscape()
  })
  const tellHeight = () => host?.post('resize', { height: naturalHeight(mainOf()) })
  new ResizeObserver(tellHeight).observe(document.body)
  return host
}

/** The focus comes in from the page around. */
function focusFrom(at: unknown): void {
  const all = [
    ...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea'),
  ].filter((one) => one.offsetParent !== null && one.tabIndex >= 0)
  ;(at === 'end' ? all.at(-1) : all[0])?.focus()
}
