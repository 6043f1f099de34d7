import {
  createElement,
  createLoadingStatus,
  ensureStyle,
  getThemeClass,
  type Surface,
  type SurfaceParts,
} from './surface.ts'

/** In pixels. It opens with this height, and only grows from there. */
const MIN_HEIGHT = 380

/**
 * A modal dialog over the page, as tall as the page in it: named, above everything else, with the rest of the page inert and not scrollable. Tab
 * cycles within it, Escape closes it, and the focus is restored afterwards.
 */
export function openDialog(parts: SurfaceParts): Surface {
  const { iframe, options, texts, onDismiss, onFocus } = parts
  // A script in the head may open it before there is a body.
  const parent = document.body ?? document.documentElement
  ensureStyle(parent, options.cspNonce)
  const previousFocus = document.activeElement
  const dialog = createElement('dialog', `linchpin-dialog ${getThemeClass(options)}`)
  dialog.setAttribute('role', 'dialog')
  dialog.setAttribute('aria-modal', 'true')
  dialog.setAttribute('aria-label', options.title ?? texts.title)
  dialog.lang = texts.lang
  const status = createLoadingStatus(parts, dialog)
  const focusFrame = (at: 'end' | 'start') => () => {
    iframe.focus()
    onFocus(at)
  }
  const [first, last] = [createFocusSentinel(), createFocusSentinel()]
  dialog.append(first, status.element, iframe, last)
  // A second Escape closes a dialog in any case.
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault()
    onDismiss('escape')
  })
  dialog.addEventListener('close', () => onDismiss('escape'))
  parent.append(dialog)
  dialog.tabIndex = -1
  dialog.autofocus = true
  dialog.showModal()
  first.addEventListener('focus', focusFrame('end'))
  last.addEventListener('focus', focusFrame('start'))
  const unlock = lockScroll()
  return {
    show() {
      status.show()
      iframe.focus()
    },
    fail: status.fail,
    resize(height) {
      // The style sheet limits it to 720 pixels and the window.
      if (Number.isFinite(height))
        dialog.style.setProperty('--linchpin-height', `${Math.max(height, MIN_HEIGHT)}px`)
    },
    remove() {
      dialog.remove()
      unlock()
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus()
    },
  }
}

/** Receives the focus at an end of the dialog and passes it on. */
function createFocusSentinel(): HTMLElement {
  const element = createElement('span', 'linchpin-edge')
  element.tabIndex = 0
  return element
}

/**
 * Locks scrolling of the page behind without a layout shift. With several dialogs, the original state is restored after
 * the last one.
 */
function lockScroll(): () => void {
  const root = document.documentElement
  if (lockCount === 0) {
    const { overflow, paddingInlineEnd } = root.style
    savedStyles = { overflow, paddingInlineEnd }
    const scrollBarWidth = innerWidth - root.clientWidth
    root.style.overflow = 'hidden'
    if (scrollBarWidth > 0) root.style.paddingInlineEnd = `${scrollBarWidth}px`
  }
  lockCount += 1
  return () => {
    lockCount -= 1
    if (lockCount === 0) Object.assign(root.style, savedStyles)
  }
}

let lockCount = 0
let savedStyles = { overflow: '', paddingInlineEnd: '' }
