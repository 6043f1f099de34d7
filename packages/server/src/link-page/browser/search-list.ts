/** Narrows the list of tools while typing and by category, and lets arrow keys walk through it. */
export function enhanceSearch(main: HTMLElement): void {
  const list = main.querySelector<HTMLElement>('[data-rows]')
  if (list === null) return
  const input = main.querySelector<HTMLInputElement>('form[data-form="search"] input[name="q"]')
  const rows = [...list.querySelectorAll<HTMLElement>('[data-row]')]
  walkRows(list, input)
  if (input === null) return
  const chips = [...main.querySelectorAll<HTMLElement>('.chips [data-category]')]
  let category = ''
  const narrow = () => {
    const words = plain(input.value).split(/\s+/)
    const shown = rows.filter((row) => {
      const isShown =
        (category === '' || row.querySelector<HTMLElement>('a')?.dataset.category === category) &&
        words.every((word) => plain(row.dataset.text ?? '').includes(word))
      row.hidden = !isShown
      return isShown
    })
    tell(
      main,
      shown.length,
      input.value === '' && category === '',
      () => {
        input.value = ''
        choose('')
        input.focus()
      },
      input.value,
    )
  }
  const choose = (next: string) => {
    category = next
    for (const chip of chips)
      if (chip.dataset.category === next) {
        chip.setAttribute('aria-current', 'true')
        chip.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      } else chip.removeAttribute('aria-current')
    narrow()
  }
  input.addEventListener('input', narrow)
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing || input.value === '') return
    event.preventDefault()
    event.stopPropagation()
    input.value = ''
    narrow()
  })
  input.form?.addEventListener('submit', (event) => {
    event.preventDefault()
    event.stopPropagation()
    visible(list)[0]?.click()
  })
  for (const chip of chips)
    chip.addEventListener('click', (event) => {
      event.preventDefault()
      event.stopPropagation()
      choose(chip.dataset.category ?? '')
    })
}

/** Narrows it as an address does that was made without us. */
export function narrowTo(main: HTMLElement, query: string, category: string): void {
  const input = main.querySelector<HTMLInputElement>('form[data-form="search"] input[name="q"]')
  if (input === null) return
  input.value = query
  input.dispatchEvent(new Event('input'))
  const chips = [...main.querySelectorAll<HTMLElement>('.chips [data-category]')]
  if (category !== '') chips.find((chip) => chip.dataset.category === category)?.click()
}

/** Without case and accents, as the server compares. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

function visible(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[data-row]:not([hidden]) a')]
}

function walkRows(list: HTMLElement, input: HTMLInputElement | null): void {
  const walk = (event: KeyboardEvent) => {
    const links = visible(list)
    const at = links.indexOf(document.activeElement as HTMLElement)
    if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus()
    else if (event.key === 'ArrowUp') (at <= 0 ? (input ?? links[0]) : links[at - 1])?.focus()
    else if (event.key === 'Home' && at >= 0) links[0]?.focus()
    else if (event.key === 'End' && at >= 0) links.at(-1)?.focus()
    else {
      // Typing searches, wherever one is in the list.
      const isTyped = event.key.length === 1 && event.key !== ' '
      if (at >= 0 && isTyped && !event.ctrlKey && !event.metaKey && !event.altKey) input?.focus()
      return
    }
    event.preventDefault()
  }
  list.addEventListener('keydown', walk)
  input?.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' && !event.isComposing) walk(event)
  })
}

/** How many are shown; when none is, what to do about it. */
function tell(
  main: HTMLElement,
  count: number,
  isAll: boolean,
  clear: () => void,
  query: string,
): void {
  const found = main.querySelector<HTMLElement>('[data-found]')
  if (found !== null) found.textContent = isAll || count === 0 ? '' : counted(found, count)
  main.querySelector('[data-none]')?.remove()
  if (count > 0) return
  const template = main.querySelector<HTMLTemplateElement>('template[data-words="noMatch"]')
  const none = template?.content.firstElementChild?.cloneNode(true)
  if (!(none instanceof HTMLElement)) return
  const name = none.querySelector('bdi')
  if (name !== null) name.textContent = query
  none.setAttribute('role', 'status')
  none.querySelector('[data-clear]')?.addEventListener('click', (event) => {
    event.preventDefault()
    event.stopPropagation()
    clear()
  })
  template?.after(none)
}

/** The server's sentence for this kind of number, with the number in it. */
function counted(found: HTMLElement, count: number): string {
  const { lang } = document.documentElement
  const forms: Record<string, string> = JSON.parse(found.dataset.forms ?? '{}')
  const form = forms[new Intl.PluralRules(lang).select(count)] ?? forms.other ?? '#'
  return form.replace('#', new Intl.NumberFormat(lang).format(count))
}
