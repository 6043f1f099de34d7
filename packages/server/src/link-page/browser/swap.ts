/** Puts a page that was fetched in place of the one that is shown. False when it is none of ours. */
export function swap(text: string): boolean {
  // The accent stands already; under this page's policy, the style of another nonce would be a violation.
  const bare = text.replace(/<style[\s\S]*?<\/style>/, '')
  const next = new DOMParser().parseFromString(bare, 'text/html')
  const main = next.querySelector('main')
  const shown = document.querySelector('main')
  if (main === null || shown === null) return false
  shown.replaceWith(document.adoptNode(main))
  const print = next.querySelector('footer')
  if (print !== null) document.querySelector('footer')?.replaceWith(document.adoptNode(print))
  document.title = next.title
  for (const name of ['lang', 'dir', 'data-theme']) {
    const value = next.documentElement.getAttribute(name)
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
