/** The state that a person sees: a screen of the script may stand before the one that the server sent. */
export function getCurrentState(): string {
  const screen = document.querySelector<HTMLElement>('[data-screen]')?.dataset.screen
  const isWaiting = screen === 'waitingSignIn' || screen === 'windowClosed'
  return isWaiting ? 'waitingSignIn' : (getMainElement().dataset.state ?? '')
}

/** What the page shows: it changes with every state. */
export function getMainElement(): HTMLElement {
  return document.querySelector('main') ?? document.body
}
