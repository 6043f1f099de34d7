/** How long the search waits for the next letter, in milliseconds. */
const TYPING_MS = 120

let request: AbortController | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/** Opens the search in a dialog: a combobox with a list (WAI-ARIA Authoring Practices). False if the page has none. */
export function openPalette(): boolean {
  const palette = findPalette()
  if (palette === undefined) return false
  const { dialog, field } = palette
  if (!dialog.open) {
    dialog.showModal()
    field.select()
    void search()
  }
  return true
}

/** Makes the search of the navigation open the dialog. May run again after each render. */
export function enhancePalette(): void {
  const palette = findPalette()
  if (palette === undefined) return
  const { dialog, field, list } = palette
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-palette]'))
    link.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      openPalette()
    }
  field.oninput = () => {
    clearTimeout(timer)
    timer = setTimeout(search, TYPING_MS)
  }
  field.onkeydown = (event) => moveOrOpen(event, list)
  list.onclick = () => dialog.close()
  // Outside of what is in it.
  dialog.onclick = ({ target }) => {
    if (target === dialog) dialog.close()
  }
}

interface Palette {
  readonly dialog: HTMLDialogElement
  readonly field: HTMLInputElement
  readonly list: HTMLElement
  readonly status: HTMLElement
}

function findPalette(): Palette | undefined {
  const dialog = document.querySelector<HTMLDialogElement>('dialog.palette')
  const field = dialog?.querySelector('input')
  const list = dialog?.querySelector<HTMLElement>('[role=listbox]')
  const status = dialog?.querySelector<HTMLElement>('[role=status]')
  return dialog && field && list && status ? { dialog, field, list, status } : undefined
}

async function search(): Promise<void> {
  const palette = findPalette()
  if (palette === undefined) return
  const { field, status } = palette
  request?.abort()
  request = new AbortController()
  const { signal } = request
  try {
    const response = await fetch(`/console/search?q=${encodeURIComponent(field.value)}`, { signal })
    // Such as to the sign-in, when the session has ended.
    if (response.redirected) return location.reload()
    showResults(palette, new DOMParser().parseFromString(await response.text(), 'text/html'))
  } catch {
    if (!signal.aborted) status.textContent = status.dataset.failed ?? ''
  }
}

/** The results of the page of the search, as options of the list. */
function showResults({ field, list, status }: Palette, page: Document): void {
  const groups = [...page.querySelectorAll<HTMLElement>('[data-results]')].map((found, index) => {
    const group = document.createElement('div')
    group.setAttribute('role', 'group')
    const title = document.createElement('div')
    title.id = `palette-group-${index}`
    title.setAttribute('role', 'presentation')
    title.textContent = found.dataset.results ?? ''
    group.setAttribute('aria-labelledby', title.id)
    group.append(title, ...[...found.querySelectorAll('[data-result]')].map(toOption))
    return group
  })
  list.replaceChildren(...groups)
  list.querySelectorAll('[role=option]').forEach((option, index) => {
    option.id = `palette-option-${index}`
  })
  status.textContent =
    page.querySelector('[data-count]')?.textContent ?? status.dataset.failed ?? ''
  const [first] = list.querySelectorAll<HTMLElement>('[role=option]')
  select(field, list, first)
}

function toOption(result: Element): HTMLElement {
  const option = document.importNode(result, true) as HTMLElement
  option.setAttribute('role', 'option')
  option.tabIndex = -1
  return option
}

function select(field: HTMLInputElement, list: HTMLElement, option: HTMLElement | undefined): void {
  for (const each of list.querySelectorAll('[role=option]'))
    each.setAttribute('aria-selected', String(each === option))
  field.setAttribute('aria-activedescendant', option?.id ?? '')
  option?.scrollIntoView({ block: 'nearest' })
}

function moveOrOpen(event: KeyboardEvent, list: HTMLElement): void {
  const field = event.currentTarget as HTMLInputElement
  const options = [...list.querySelectorAll<HTMLElement>('[role=option]')]
  const current = options.findIndex((each) => each.getAttribute('aria-selected') === 'true')
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: (current + 1) % options.length,
    ArrowUp: (current - 1 + options.length) % options.length,
  }
  const next = moves[event.key]
  if (event.key === 'Enter') {
    event.preventDefault()
    options[current]?.click()
  } else if (next !== undefined) {
    event.preventDefault()
    select(field, list, options[next])
  }
}
