/** Screens that the server renders as templates (`client-templates.ts`). */
export type WaitingScreenName =
  | 'checking'
  | 'offline'
  | 'popupBlocked'
  | 'slow'
  | 'waitingSignIn'
  | 'windowClosed'

/** The handlers of the buttons `open-again`, `leave`, `retry` and `same-window`. */
export type ScreenActions = Readonly<Record<string, () => void>>

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
