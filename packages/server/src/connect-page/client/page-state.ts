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
