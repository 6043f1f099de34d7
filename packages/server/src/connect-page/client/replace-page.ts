/** Puts a page that was fetched in place of the one that is shown. False when it is none of ours. */
export function replacePage(text: string): boolean {
  // The accent stands already; under this page's policy, the style of another nonce would be a violation.
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

/** The focus goes to what is wrong, else to what the screen is about, which is read out. */
export function focusScreen(): void {
  const [target] = ['main [data-focus]', 'main [aria-invalid="true"]', 'main h1'].flatMap(
    (selector) => document.querySelector<HTMLElement>(selector) ?? [],
  )
  scrollTo(0, 0)
  target?.focus()
}
