import { enhanceFields } from './enhance-fields.ts'
import { enhanceSearch } from './enhance-search.ts'
import type { Host } from './host.ts'
import { getMainElement } from './page-state.ts'
import { persistValues } from './persist-values.ts'
import { postToHost } from './post-to-host.ts'
import type { SessionStorage } from './session-storage.ts'
import type { SignIn } from './sign-in.ts'

interface PageEnhancerOptions {
  readonly isFrame: boolean
  readonly storage: SessionStorage
  readonly signIn: Pick<SignIn, 'resume'>
  readonly host: () => Host | undefined
}

/** Enhances the screen that the server rendered, resumes a pending sign-in, and notifies the host page. */
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

/** Scrolls the category chips with the mouse wheel and moves the focus between them with the arrow keys. */
function addChipKeyboardNav(main: HTMLElement): void {
  const chipList = main.querySelector<HTMLElement>('.chips')
  if (chipList === null) return
  chipList.addEventListener(
    'wheel',
    (event) => {
      if (event.deltaX !== 0 || event.shiftKey || event.ctrlKey) return
      const previousScroll = chipList.scrollLeft
      const step = getComputedStyle(chipList).direction === 'rtl' ? -event.deltaY : event.deltaY
      chipList.scrollLeft += step
      // At either end, let the wheel scroll the page.
      if (chipList.scrollLeft !== previousScroll) event.preventDefault()
    },
    { passive: false },
  )
  chipList.addEventListener('keydown', (event) => {
    const isRightToLeft = getComputedStyle(chipList).direction === 'rtl'
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: isRightToLeft ? 1 : -1,
      ArrowRight: isRightToLeft ? -1 : 1,
    }
    const chips = [...chipList.querySelectorAll<HTMLElement>('.chip')]
    const step = steps[event.key]
    const index = chips.indexOf(document.activeElement as HTMLElement)
    if (step === undefined || index < 0) return
    event.preventDefault()
    chips[index + step]?.focus()
  })
}

/** Enables the "Show" and "Hide" buttons of secret fields. */
function enhanceReveal(main: HTMLElement): void {
  for (const button of main.querySelectorAll<HTMLButtonElement>('button[data-reveal]')) {
    const input = document.getElementById(button.dataset.reveal ?? '')
    if (!(input instanceof HTMLInputElement)) continue
    button.hidden = false
    button.addEventListener('click', () => {
      const isShown = input.type === 'password'
      const { show, hide, showLabel, hideLabel } = button.dataset
      input.type = isShown ? 'text' : 'password'
      button.textContent = (isShown ? hide : show) ?? ''
      button.setAttribute('aria-label', (isShown ? hideLabel : showLabel) ?? '')
    })
    // Password managers and browser autofill read the input type on submit.
    input.form?.addEventListener('submit', () => {
      if (input.type === 'text') button.click()
    })
  }
}
