/** How long "Copied" stays, in milliseconds. */
const COPIED_MS = 1_500
/** How long a search waits for the next letter, in milliseconds. */
const TYPING_MS = 250
/** How long a page waits before it looks again whether something has finished, in milliseconds. */
const AGAIN_MS = 3_000

/** Adds what needs a script to the page: copy buttons, dialogs, search as you type. May run again after each render. */
export function enhancePage(notify: (text: string) => void): void {
  for (const button of find<HTMLButtonElement>('.copy[data-copy]')) {
    // Browsers have no clipboard over plain HTTP, except on this machine.
    button.hidden = !window.isSecureContext
    button.onclick = () => void copy(button, notify)
  }
  for (const host of find<HTMLDetailsElement>('details.dialog-host')) enhanceDialog(host)
  for (const dialog of find<HTMLDialogElement>('dialog.dialog[open]:not(:modal)')) {
    dialog.close()
    dialog.showModal()
    // The page behind it shows what comes of the new tab.
    for (const link of dialog.querySelectorAll<HTMLElement>('a[target=_blank]'))
      link.onclick = () => dialog.close()
  }
  for (const field of find<HTMLInputElement>('input[data-search]')) enhanceSearch(field)
  for (const form of find<HTMLFormElement>('form[data-again=""]')) {
    form.dataset.again = 'soon'
    setTimeout(() => form.isConnected && form.requestSubmit(), AGAIN_MS)
  }
  for (const box of find<HTMLInputElement>('input[data-select-all]')) enhanceSelectAll(box)
  for (const menu of find<HTMLDetailsElement>('.side details')) closeOutside(menu)
}

function find<E extends Element>(selector: string): NodeListOf<E> {
  return document.querySelectorAll<E>(selector)
}

async function copy(button: HTMLButtonElement, notify: (text: string) => void): Promise<void> {
  const { copy: text = '', copied = '' } = button.dataset
  await navigator.clipboard.writeText(text)
  button.dataset.done = 'true'
  notify(copied)
  setTimeout(() => delete button.dataset.done, COPIED_MS)
}

/** Escape and the close button close it, and focus goes where it was. */
function enhanceDialog(host: HTMLDetailsElement): void {
  const close = host.querySelector<HTMLButtonElement>('[data-close]')
  const summary = host.querySelector('summary')
  if (close === null || summary === null) return
  close.hidden = false
  const end = () => {
    host.open = false
    summary.focus()
  }
  close.onclick = end
  host.onkeydown = (event) => {
    if (event.key === 'Escape') end()
  }
  host.ontoggle = () => {
    if (host.open)
      host.querySelector<HTMLElement>('.dialog input:not([type=hidden]), .dialog button')?.focus()
  }
}

function enhanceSearch(field: HTMLInputElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  field.oninput = () => {
    clearTimeout(timer)
    timer = setTimeout(() => field.form?.requestSubmit(), TYPING_MS)
  }
}

/** Selects the rows of the page, or none. */
function enhanceSelectAll(all: HTMLInputElement): void {
  const table = all.closest('table')
  if (table === null) return
  const boxes = table.querySelectorAll<HTMLInputElement>(
    `tbody input[name=${all.dataset.selectAll}]`,
  )
  const show = () => {
    const count = [...boxes].filter((box) => box.checked).length
    all.checked = count === boxes.length
    all.indeterminate = count > 0 && count < boxes.length
  }
  all.hidden = false
  all.onchange = () => {
    for (const box of boxes) box.checked = all.checked
  }
  table.onchange = show
  show()
}

function closeOutside(menu: HTMLDetailsElement): void {
  menu.ontoggle = () => {
    if (!menu.open) return
    const close = (event: Event) => {
      if (event instanceof KeyboardEvent && event.key !== 'Escape') return
      if (event instanceof PointerEvent && menu.contains(event.target as Node)) return
      menu.open = false
      removeEventListener('pointerdown', close)
      removeEventListener('keydown', close)
    }
    addEventListener('pointerdown', close)
    addEventListener('keydown', close)
  }
}
