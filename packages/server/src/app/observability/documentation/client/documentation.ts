import { openSearch } from './search.ts'

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
