import { ensureStyle } from './style.ts'
import { createTold, make, type Surface, type SurfaceParts, themeClass } from './surface.ts'

/**
 * A dialog over the page: named, above everything, the rest of the page inert and still. Tab goes round within it, Escape
 * leaves, and the focus goes back to where it was.
 */
export function openDialog(parts: SurfaceParts): Surface {
  const { iframe, options, words, onLeave, onFocus } = parts
  // A script in the head may open it before there is a body.
  const holder = document.body ?? document.documentElement
  ensureStyle(holder, options.cspNonce)
  const before = document.activeElement
  const dialog = make('dialog', `linchpin-dialog ${themeClass(options)}`)
  dialog.setAttribute('role', 'dialog')
  dialog.setAttribute('aria-modal', 'true')
  dialog.setAttribute('aria-label', options.title ?? words.title)
  dialog.lang = words.lang
  const told = createTold(parts, dialog)
  const enter = (at: 'end' | 'start') => () => {
    iframe.focus()
    onFocus(at)
  }
  const [first, last] = [edge(), edge()]
  dialog.append(first, told.element, iframe, last)
  // A second Escape closes a dialog whatever we say.
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault()
    onLeave('escape')
  })
  dialog.addEventListener('close', () => onLeave('escape'))
  holder.append(dialog)
  dialog.tabIndex = -1
  dialog.autofocus = true
  dialog.showModal()
  first.addEventListener('focus', enter('end'))
  last.addEventListener('focus', enter('start'))
  const unlock = lockScroll()
  return {
    show() {
      told.show()
      iframe.focus()
    },
    fail: told.fail,
    resize: () => undefined,
    remove() {
      dialog.remove()
      unlock()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    },
  }
}

/** Takes the focus at an end of the dialog, to hand it on. */
function edge(): HTMLElement {
  const element = make('span', 'linchpin-edge')
  element.tabIndex = 0
  return element
}

/**
 * The page behind stands still, and does not jump by the width of its scroll bar. However many dialogs there are, it gets
 * back what it had before the first of them.
 */
function lockScroll(): () => void {
  const root = document.documentElement
  if (locks === 0) {
    const { overflow, paddingInlineEnd } = root.style
    unlocked = { overflow, paddingInlineEnd }
    const bar = innerWidth - root.clientWidth
    root.style.overflow = 'hidden'
    if (bar > 0) root.style.paddingInlineEnd = `${bar}px`
  }
  locks += 1
  return () => {
    locks -= 1
    if (locks === 0) Object.assign(root.style, unlocked)
  }
}

let locks = 0
let unlocked = { overflow: '', paddingInlineEnd: '' }
