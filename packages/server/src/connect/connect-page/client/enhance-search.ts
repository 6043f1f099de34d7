import { searchItems } from '../search/match-search.ts'

/** Filters the list of integrations while the person types and by category, and adds arrow-key navigation. */
export function enhanceSearch(main: HTMLElement): void {
  const list = main.querySelector<HTMLElement>('[data-rows]')
  if (list === null) return
  const input = main.querySelector<HTMLInputElement>('form[data-form="search"] input[name="q"]')
  const rows = [...list.querySelectorAll<HTMLElement>('[data-row]')]
  addRowKeyboardNav(list, input)
  if (input === null) return
  const chips = [...main.querySelectorAll<HTMLElement>('.chips [data-category]')]
  // If the query names one of these, tools with a similar name are not meant.
  const notSetUp = [
    ...(findTemplate(main, 'notSetUp')?.querySelectorAll<HTMLElement>('[data-text]') ?? []),
  ]
  let category = ''
  const applyFilters = () => {
    const inCategory = rows.filter(
      (row) => category === '' || row.querySelector('a')?.dataset.category === category,
    )
    const found = new Set(searchItems([...inCategory, ...notSetUp], getText, input.value))
    const visibleRows = new Set(inCategory.filter((row) => found.has(row)))
    for (const row of rows) row.hidden = !visibleRows.has(row)
    showResultCount(
      main,
      visibleRows.size,
      input.value === '' && category === '',
      () => {
        input.value = ''
        selectCategory('')
        input.focus()
      },
      input.value,
    )
  }
  const selectCategory = (categoryKey: string) => {
    category = categoryKey
    for (const chip of chips)
      if (chip.dataset.category === categoryKey) {
        chip.setAttribute('aria-current', 'true')
        chip.scrollIntoView({ block: 'nearest', inline: 'nearest' })
        setTabStop(chips, chip)
      } else chip.removeAttribute('aria-current')
    applyFilters()
  }
  input.addEventListener('input', applyFilters)
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing || input.value === '') return
    event.preventDefault()
    event.stopPropagation()
    input.value = ''
    applyFilters()
  })
  input.form?.addEventListener('submit', (event) => {
    event.preventDefault()
    event.stopPropagation()
    getVisibleLinks(list)[0]?.click()
  })
  for (const chip of chips)
    chip.addEventListener('click', (event) => {
      event.preventDefault()
      event.stopPropagation()
      selectCategory(chip.dataset.category ?? '')
    })
}

/** Applies a query and a category from the URL. */
export function applySearch(main: HTMLElement, query: string, category: string): void {
  const input = main.querySelector<HTMLInputElement>('form[data-form="search"] input[name="q"]')
  if (input === null) return
  input.value = query
  input.dispatchEvent(new Event('input'))
  const chips = [...main.querySelectorAll<HTMLElement>('.chips [data-category]')]
  if (category !== '') chips.find((chip) => chip.dataset.category === category)?.click()
}

function getText({ dataset }: HTMLElement): string {
  return dataset.text ?? ''
}

function getVisibleLinks(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[data-row]:not([hidden]) a')]
}

function addRowKeyboardNav(list: HTMLElement, input: HTMLInputElement | null): void {
  const moveFocus = (event: KeyboardEvent) => {
    const links = getVisibleLinks(list)
    const index = links.indexOf(document.activeElement as HTMLElement)
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = findTarget(links, index, event.key, list)
    if (target !== undefined) {
      event.preventDefault()
      if (target < 0) input?.focus()
      else links[target]?.focus()
      return
    }
    // Typing anywhere in the list continues the search.
    if (index >= 0 && event.key.length === 1 && event.key !== ' ') input?.focus()
  }
  list.addEventListener('keydown', moveFocus)
  input?.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' && !event.isComposing) moveFocus(event)
  })
}

/**
 * The index that a key leads to, by what the person sees: up and down in the column, left and right in the row. Negative above the
 * list; undefined for a key that does not move.
 */
function findTarget(
  links: readonly HTMLElement[],
  index: number,
  key: string,
  list: HTMLElement,
): number | undefined {
  const columns = countColumns(links)
  const last = links.length - 1
  if (key === 'ArrowUp') return index - columns
  if (key === 'ArrowDown') {
    if (index < 0) return 0
    // The last row may have fewer tools.
    const isInLastRow = Math.floor(index / columns) === Math.floor(last / columns)
    return isInLastRow ? index : Math.min(index + columns, last)
  }
  if (index < 0) return undefined
  if (key === 'Home') return 0
  if (key === 'End') return last
  if (columns === 1 || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return undefined
  const isForward = (key === 'ArrowRight') === (getComputedStyle(list).direction === 'ltr')
  const target = index + (isForward ? 1 : -1)
  const isInRow = Math.floor(target / columns) === Math.floor(index / columns)
  return isInRow && target <= last ? target : index
}

/** How many tools the first row shows. */
function countColumns(links: readonly HTMLElement[]): number {
  const tops = links.map((link) => Math.round(link.getBoundingClientRect().top))
  return Math.max(1, tops.filter((top) => top === tops[0]).length)
}

/** Shows the number of results, or a notice when there are none. */
function showResultCount(
  main: HTMLElement,
  count: number,
  isUnfiltered: boolean,
  clear: () => void,
  query: string,
): void {
  const countElement = main.querySelector<HTMLElement>('[data-found]')
  if (countElement !== null)
    countElement.textContent = isUnfiltered || count === 0 ? '' : formatCount(countElement, count)
  main.querySelector('[data-none]')?.remove()
  if (count > 0) return
  const emptyNotice = createNotSetUpNotice(main, query) ?? createNoMatchNotice(main, query)
  if (emptyNotice === undefined) return
  emptyNotice.setAttribute('role', 'status')
  emptyNotice.querySelector('[data-clear]')?.addEventListener('click', (event) => {
    event.preventDefault()
    event.stopPropagation()
    clear()
  })
  main.querySelector('template[data-words="noMatch"]')?.after(emptyNotice)
}

function createNoMatchNotice(main: HTMLElement, query: string): HTMLElement | undefined {
  const emptyNotice = cloneTemplate(main, 'noMatch')
  const queryElement = emptyNotice?.querySelector('bdi')
  if (queryElement) queryElement.textContent = query
  return emptyNotice
}

/** Undefined unless the query names an integration that is not set up yet. */
function createNotSetUpNotice(main: HTMLElement, query: string): HTMLElement | undefined {
  if (query.trim() === '') return undefined
  const notSetUpNotice = cloneTemplate(main, 'notSetUp')
  if (notSetUpNotice === undefined) return undefined
  const entries = [...notSetUpNotice.querySelectorAll<HTMLElement>('[data-text]')]
  const named = searchItems(entries, getText, query)
  for (const entry of entries) if (!named.includes(entry)) entry.remove()
  return named.length > 0 ? notSetUpNotice : undefined
}

function cloneTemplate(main: HTMLElement, name: string): HTMLElement | undefined {
  const clone = findTemplate(main, name)?.firstElementChild?.cloneNode(true)
  return clone instanceof HTMLElement ? clone : undefined
}

function findTemplate(main: HTMLElement, name: string): DocumentFragment | undefined {
  return main.querySelector<HTMLTemplateElement>(`template[data-words="${name}"]`)?.content
}

/** Formats the count with the plural form that the server rendered. */
function formatCount(countElement: HTMLElement, count: number): string {
  const { lang } = document.documentElement
  const forms: Record<string, string> = JSON.parse(countElement.dataset.forms ?? '{}')
  const form = forms[new Intl.PluralRules(lang).select(count)] ?? forms.other ?? '#'
  return form.replace('#', new Intl.NumberFormat(lang).format(count))
}

/**
 * Scrolls the category chips with the mouse wheel, and makes them one tab stop: the arrow keys, Home and End move between
 * them.
 */
export function enhanceChips(main: HTMLElement): void {
  const chipList = main.querySelector<HTMLElement>('.chips')
  if (chipList === null) return
  const chips = [...chipList.querySelectorAll<HTMLElement>('.chip')]
  const isRightToLeft = () => getComputedStyle(chipList).direction === 'rtl'
  chipList.setAttribute('role', 'toolbar')
  main.querySelector('[data-skip]')?.remove()
  setTabStop(chips, chips.find((chip) => chip.matches('[aria-current]')) ?? chips[0])
  chipList.addEventListener(
    'wheel',
    (event) => {
      if (event.deltaX !== 0 || event.shiftKey || event.ctrlKey) return
      const previousScroll = chipList.scrollLeft
      chipList.scrollLeft += isRightToLeft() ? -event.deltaY : event.deltaY
      // At either end, let the wheel scroll the page.
      if (chipList.scrollLeft !== previousScroll) event.preventDefault()
    },
    { passive: false },
  )
  chipList.addEventListener('focusin', ({ target }) => setTabStop(chips, target))
  chipList.addEventListener('keydown', (event) => {
    const index = chips.indexOf(document.activeElement as HTMLElement)
    const forward = isRightToLeft() ? -1 : 1
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: index - forward,
      ArrowRight: index + forward,
      Home: 0,
      End: chips.length - 1,
    }
    const target = targets[event.key]
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    chips[target]?.focus()
  })
}

/** Makes one chip the tab stop of all. */
function setTabStop(chips: readonly HTMLElement[], current: unknown): void {
  for (const chip of chips) chip.tabIndex = chip === current ? 0 : -1
}
