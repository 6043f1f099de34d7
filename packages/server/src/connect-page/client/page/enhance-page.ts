import { addChipKeyboardNav } from '../chip-keyboard-nav.ts'
import { enhanceFields } from '../enhance-fields.ts'
import { enhanceReveal } from '../enhance-reveal.ts'
import { enhanceSearch } from '../enhance-search.ts'
import type { Host } from '../host.ts'
import { persistValues } from '../persist-values.ts'
import { postToHost } from '../post-to-host.ts'
import type { SessionStorage } from '../session-storage.ts'
import type { SignIn } from '../sign-in.ts'
import { getMainElement } from './main-element.ts'

interface PageEnhancerOptions {
  readonly isFrame: boolean
  readonly storage: SessionStorage
  readonly signIn: Pick<SignIn, 'resume'>
  readonly host: () => Host | undefined
}

/** Makes quick what the server has just shown, goes on with what it waits for, and tells the page around. */
export function createPageEnhancer({
  isFrame,
  storage,
  signIn,
  host,
}: PageEnhancerOptions): () => void {
  let hasOpened = false
  return () => {
    const main = getMainElement()
    enhanceReveal(main)
    enhanceFields(main)
    persistValues(main, storage)
    enhanceSearch(main)
    addChipKeyboardNav(main)
    if (isFrame && parent !== window)
      for (const exit of main.querySelectorAll<HTMLElement>('[data-exit]')) exit.hidden = false
    const { state, attempt } = main.dataset
    if (attempt !== undefined && (state === 'waitingSignIn' || state === 'stillRunning'))
      signIn.resume(attempt)
    const currentHost = host()
    if (currentHost === undefined) return
    if (!hasOpened) currentHost.event('OPEN')
    hasOpened = true
    postToHost(currentHost, main)
  }
}
