/** The visible state: a waiting screen may cover the one that the server rendered. */
export function getCurrentState(): string {
  const screen = document.querySelector<HTMLElement>('[data-screen]')?.dataset.screen
  const isWaiting = screen === 'waitingSignIn' || screen === 'windowClosed'
  return isWaiting ? 'waitingSignIn' : (getMainElement().dataset.state ?? '')
}

/** The `<main>` element, which is replaced with every state. */
export function getMainElement(): HTMLElement {
  return document.querySelector('main') ?? document.body
}

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

/** Screens that the server renders as templates (`client-templates.ts`). */
type WaitingScreenName =
  | 'checking'
  | 'offline'
  | 'popupBlocked'
  | 'slow'
  | 'waitingSignIn'
  | 'windowClosed'

/** The handlers of the buttons `open-again`, `leave`, `retry` and `same-window`. */
type ScreenActions = Readonly<Record<string, () => void>>

/** Shows a waiting screen and hides the page's content behind it. Returns false when the page has no such template. */
export function showWaitingScreen(name: WaitingScreenName, actions: ScreenActions): boolean {
  const main = document.querySelector('main')
  const template = findTemplate(name)
  if (main === null || template === null) return false
  hideWaitingScreen()
  const screen = document.createElement('div')
  screen.dataset.screen = name
  screen.append(template.content.cloneNode(true))
  for (const [action, callback] of Object.entries(actions)) {
    const button = screen.querySelector(`[data-${action}]`)
    button?.addEventListener('click', () => {
      // Cancelling waits for the server.
      if (action === 'leave') button.ariaBusy = 'true'
      callback()
    })
  }
  for (const child of main.children)
    if (child instanceof HTMLElement && !child.hidden && !child.matches('.bar')) {
      child.hidden = true
      child.dataset.behind = ''
    }
  main.append(screen)
  screen.querySelector('h1')?.focus()
  return true
}

/** Removes the waiting screen and shows the content again. */
export function hideWaitingScreen(): void {
  document.querySelector('[data-screen]')?.remove()
  for (const child of document.querySelectorAll<HTMLElement>('[data-behind]')) {
    child.hidden = false
    delete child.dataset.behind
  }
}

/** The title of a waiting screen. */
export function getWaitingScreenTitle(name: WaitingScreenName): string {
  return findTemplate(name)?.content.querySelector('h1')?.textContent ?? ''
}

function findTemplate(name: WaitingScreenName): HTMLTemplateElement | null {
  return document.querySelector(`template[data-words="${name}"]`)
}
