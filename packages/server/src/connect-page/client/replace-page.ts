/** Replaces the current page with a fetched one. Returns false when the document is not a connect page. */
export function replacePage(text: string): boolean {
  // The accent is already set, and a style with another nonce would violate this page's CSP.
  const withoutStyles = text.replace(/<style[\s\S]*?<\/style>/, '')
  const nextDocument = new DOMParser().parseFromString(withoutStyles, 'text/html')
  const main = nextDocument.querySelector('main')
  const currentMain = document.querySelector('main')
  if (main === null || currentMain === null) return false
  currentMain.replaceWith(document.adoptNode(main))
  const nextFooter = nextDocument.querySelector('footer')
  if (nextFooter !== null)
    document.querySelector('footer')?.replaceWith(document.adoptNode(nextFooter))
  document.title = nextDocument.title
  for (const name of ['lang', 'dir', 'data-theme']) {
    const value = nextDocument.documentElement.getAttribute(name)
    if (value === null) document.documentElement.removeAttribute(name)
    else document.documentElement.setAttribute(name, value)
  }
  return true
}

/** Moves the focus to the error, else to the heading, which screen readers then announce. */
export function focusScreen(): void {
  const [target] = ['main [data-focus]', 'main [aria-invalid="true"]', 'main h1'].flatMap(
    (selector) => document.querySelector<HTMLElement>(selector) ?? [],
  )
  scrollTo(0, 0)
  target?.focus()
}
