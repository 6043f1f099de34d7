import { openPalette } from './palette.ts'

/** How long the letter after `g` may take, in milliseconds. */
const SECOND_KEY_MS = 1_500
/** What `j` and `k` move between. */
const ROWS = 'main a.row, main a.row-link, main .disclosures summary, main .entries summary'

let wentAt = Number.NEGATIVE_INFINITY

/** Keys of all pages. A person can turn the single letters off (WCAG 2.1.4). */
export function listenToKeys(visit: (path: string) => void): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
      if (openPalette()) event.preventDefault()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !areLettersKeys(event.target)) return
    if (press(event.key, visit)) event.preventDefault()
  })
}

/** Not where someone types, and not under a dialog. */
function areLettersKeys(target: EventTarget | null): boolean {
  const isOff = document.querySelector('meta[name=linchpin-keys][content=off]') !== null
  const isTyping = target instanceof Element && target.closest(FIELDS) !== null
  return !isOff && !isTyping && document.querySelector('dialog[open], .dialog-host[open]') === null
}

const FIELDS = 'input, select, textarea, [contenteditable]'

/** Whether the key does something. */
function press(key: string, visit: (path: string) => void): boolean {
  const isSecond = performance.now() - wentAt < SECOND_KEY_MS
  wentAt = key === 'g' && !isSecond ? performance.now() : Number.NEGATIVE_INFINITY
  if (isSecond) return follow(`.sections a[data-key="${CSS.escape(key)}"]`)
  switch (key) {
    case 'g':
      return true
    case '/':
      return focusSearch()
    case 'j':
      return moveRow(1)
    case 'k':
      return moveRow(-1)
    case 'x':
      return tickRow()
    case '?':
      visit('/console/keys')
      return true
    default:
      return false
  }
}

function follow(selector: string): boolean {
  const link = document.querySelector<HTMLAnchorElement>(selector)
  link?.click()
  return link !== null
}

/** The search of the list, or of everything. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]')
  field?.select()
  return field !== null || openPalette()
}

function moveRow(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)]
  const current = rows.indexOf(document.activeElement as HTMLElement)
  const next = current === -1 ? 0 : current + step
  rows[next]?.focus()
  return rows.length > 0
}

/** In lists whose rows can be selected. */
function tickRow(): boolean {
  const box = document.activeElement
    ?.closest('tr')
    ?.querySelector<HTMLInputElement>('input[type=checkbox]')
  box?.click()
  return box != null
}
