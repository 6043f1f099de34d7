/** Screens that the server wrote for us to show (view/templates.ts). */
export type WordsName =
  | 'checking'
  | 'offline'
  | 'popupBlocked'
  | 'slow'
  | 'waitingSignIn'
  | 'windowClosed'

/** What the buttons of such a screen do: `open-again`, `leave`, `retry`, `same-window`. */
export type Presses = Readonly<Record<string, () => void>>

/**
 * Shows such a screen instead of what stands in the page, which stays as it is behind it. False when this page has no words
 * for it.
 */
export function showWords(name: WordsName, presses: Presses): boolean {
  const main = document.querySelector('main')
  const template = templateOf(name)
  if (main === null || template === null) return false
  hideWords()
  const screen = document.createElement('div')
  screen.dataset.screen = name
  screen.append(template.content.cloneNode(true))
  for (const [press, act] of Object.entries(presses)) {
    const button = screen.querySelector(`[data-${press}]`)
    button?.addEventListener('click', () => {
      // The way out waits for the server.
      if (press === 'leave') button.ariaBusy = 'true'
      act()
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

/** What stood in the page stands there again. */
export function hideWords(): void {
  document.querySelector('[data-screen]')?.remove()
  for (const child of document.querySelectorAll<HTMLElement>('[data-behind]')) {
    child.hidden = false
    delete child.dataset.behind
  }
}

/** The title of such a screen. */
export function titleOf(name: WordsName): string {
  return templateOf(name)?.content.querySelector('h1')?.textContent ?? ''
}

function templateOf(name: WordsName): HTMLTemplateElement | null {
  return document.querySelector(`template[data-words="${name}"]`)
}
