import { mainOf } from './main-of.ts'

/** The state that a person sees: a screen of the script may stand before the one that the server sent. */
export function stateShown(): string {
  const screen = document.querySelector<HTMLElement>('[data-screen]')?.dataset.screen
  const isWaiting = screen === 'waitingSignIn' || screen === 'windowClosed'
  return isWaiting ? 'waitingSignIn' : (mainOf().dataset.state ?? '')
}
