import { enhanceFields } from '../faults.ts'
import type { Host } from '../host.ts'
import { keepValues } from '../keep-values.ts'
import type { Kept } from '../kept.ts'
import { enhanceReveal } from '../reveal.ts'
import { enhanceSearch } from '../search-list.ts'
import type { SignIn } from '../sign-in.ts'
import { tellHost } from '../tell-host.ts'
import { walkChips } from '../walk-chips.ts'
import { mainOf } from './main-of.ts'

interface Dressers {
  readonly isFrame: boolean
  readonly kept: Kept
  readonly signIn: Pick<SignIn, 'resume'>
  readonly host: () => Host | undefined
}

/** Makes quick what the server has just shown, goes on with what it waits for, and tells the page around. */
export function createDress({ isFrame, kept, signIn, host }: Dressers): () => void {
  let isOpen = false
  return () => {
    const main = mainOf()
    enhanceReveal(main)
    enhanceFields(main)
    keepValues(main, kept)
    enhanceSearch(main)
    walkChips(main)
    if (isFrame && parent !== window)
      for (const exit of main.querySelectorAll<HTMLElement>('[data-exit]')) exit.hidden = false
    const { state, attempt } = main.dataset
    if (attempt !== undefined && (state === 'waitingSignIn' || state === 'stillRunning'))
      signIn.resume(attempt)
    const around = host()
    if (around === undefined) return
    if (!isOpen) around.event('OPEN')
    isOpen = true
    tellHost(around, main)
  }
}
