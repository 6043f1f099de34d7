import type { SearchEntry } from '../search-entry.ts'

const root = document.documentElement.dataset.root ?? '.'

addCopyButtons()
rememberLanguage()
closeMenuOnNavigation()
redirectOldAnchor()

const button = document.querySelector<HTMLButtonElement>('button.search')
if (button !== null) {
  button.hidden = false
  button.addEventListener('click', () => openSearch(root))
}
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea')
  const isShortcut = event.key === '/' || (event.key === 'k' && (event.metaKey || event.ctrlKey))
  if (!isShortcut || isTyping || event.altKey) return
  event.preventDefault()
  openSearch(root)
})

/** Adds a button to each block of code. */
function addCopyButtons(): void {
  for (const figure of document.querySelectorAll('figure.code')) {
    const copy = document.createElement('button')
    copy.type = 'button'
    copy.className = 'copy'
    copy.textContent = 'Copy'
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('code')?.textContent ?? '')
      copy.textContent = 'Copied'
      setTimeout(() => {
        copy.textContent = 'Copy'
      }, 2_000)
    })
    figure.querySelector('figcaption')?.append(copy)
  }
}

/** The language of the samples holds for all pages. A browser that forbids storage forgets it. */
function rememberLanguage(): void {
  for (const choice of document.querySelectorAll<HTMLInputElement>('input[name=language]')) {
    if (choice.value === readLanguage()) choice.checked = true
    choice.addEventListener('change', () => {
      try {
        localStorage.setItem('linchpin-docs-language', choice.value)
      } catch {}
    })
  }
}

function readLanguage(): string | null {
  try {
    return localStorage.getItem('linchpin-docs-language')
  } catch {
    return null
  }
}

/** A link to a section of this page leaves the menu of narrow screens open. */
function closeMenuOnNavigation(): void {
  const menu = document.getElementById('navigation')
  menu?.addEventListener('click', (event) => {
    if (
      event.target instanceof Element &&
      event.target.closest('a') &&
      menu.matches(':popover-open')
    )
      menu.hidePopover()
  })
}

/** Operations had their anchors on `/docs` while the reference was one page. */
async function redirectOldAnchor(): Promise<void> {
  const id = location.hash.slice(1)
  if (root !== '.' || id === '' || document.getElementById(id) !== null) return
  const response = await fetch(`${root}/docs/search.json`)
  const entries: readonly { readonly url: string }[] = await response.json()
  const target = entries.find(({ url }) => url.startsWith('api/') && url.endsWith(`#${id}`))
  if (target !== undefined) location.replace(`${root}/docs/${target.url}`)
}

const MAX_RESULTS = 12

let dialog: HTMLDialogElement | undefined
let entries: Promise<readonly SearchEntry[]> | undefined

/** Opens the search. `root` is the relative URL of the service. */
function openSearch(root: string): void {
  dialog ??= createDialog(root)
  if (!dialog.open) dialog.showModal()
  dialog.querySelector('input')?.select()
}

function createDialog(root: string): HTMLDialogElement {
  const created = document.createElement('dialog')
  created.className = 'search'
  created.setAttribute('aria-label', 'Search')
  created.innerHTML = `<input type="search" placeholder="Search operations and guides" aria-label="Search" autocomplete="off" role="combobox" aria-expanded="true" aria-controls="found"><ul id="found" role="listbox"></ul><p class="search-status quiet" role="status"></p>`
  document.body.append(created)
  const input = created.querySelector('input') as HTMLInputElement
  input.addEventListener('input', () => showResults(created, input.value, root))
  input.addEventListener('keydown', (event) => handleKey(event, created))
  created.addEventListener('click', (event) => {
    if (event.target === created) created.close()
  })
  showResults(created, '', root)
  return created
}

async function showResults(target: HTMLDialogElement, query: string, root: string): Promise<void> {
  entries ??= fetch(`${root}/docs/search.json`).then((response) => response.json())
  const found = query.trim() === '' ? [] : search(await entries, query).slice(0, MAX_RESULTS)
  const rows = found.map(({ title, detail, url }, index) => {
    const row = document.createElement('li')
    row.setAttribute('role', 'option')
    row.setAttribute('aria-selected', String(index === 0))
    const link = document.createElement('a')
    link.href = `${root}/docs/${url}`
    link.tabIndex = -1
    link.className = 'result'
    const line = document.createElement('span')
    line.className = 'result-detail'
    line.textContent = detail
    link.append(title, line)
    link.addEventListener('click', () => target.close())
    row.append(link)
    return row
  })
  target.querySelector('ul')?.replaceChildren(...rows)
  const status = target.querySelector('[role=status]') as HTMLElement
  status.textContent = getStatus(query, rows.length)
}

function getStatus(query: string, count: number): string {
  if (query.trim() === '') return 'Type the name of an operation, a field, an error or a setting.'
  return count === 0 ? `Nothing is named “${query.trim()}”.` : ''
}

/** Entries that have all words, those first whose title begins with the query. */
function search(all: readonly SearchEntry[], query: string): readonly SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = ({ title, words: more = '' }: SearchEntry) => {
    const name = title.toLowerCase()
    if (name.startsWith(words.join(' '))) return 0
    if (words.every((word) => name.includes(word))) return 1
    return more.toLowerCase().includes(words[0] ?? '') ? 2 : 3
  }
  return all
    .filter(({ title, detail, words: more = '' }) => {
      const text = `${title} ${detail} ${more}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .map((entry) => ({ entry, order: rank(entry) }))
    .sort((a, b) => a.order - b.order)
    .map(({ entry }) => entry)
}

function handleKey(event: KeyboardEvent, target: HTMLDialogElement): void {
  const rows = [...target.querySelectorAll<HTMLElement>('li')]
  const index = rows.findIndex((row) => row.getAttribute('aria-selected') === 'true')
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (event.key === 'Enter') rows[index]?.querySelector('a')?.click()
  if (step === undefined || rows.length === 0) return
  event.preventDefault()
  const next = (index + step + rows.length) % rows.length
  rows.forEach((row, position) => {
    row.setAttribute('aria-selected', String(position === next))
  })
  rows[next]?.scrollIntoView({ block: 'nearest' })
}
