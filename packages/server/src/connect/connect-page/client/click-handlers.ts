import type { Host } from './host.ts'
import type { PageNavigation } from './navigation.ts'
import type { PageLoader } from './page-loader.ts'
import { getMainElement } from './screen.ts'
import type { SignIn } from './sign-in.ts'
import type { CredentialSubmitter } from './submit-credentials.ts'

interface ClickHandlerOptions {
  readonly isFrame: boolean
  readonly navigation: Pick<PageNavigation, 'goTo'>
  readonly loader: Pick<PageLoader, 'submit'>
  readonly submitter: Pick<CredentialSubmitter, 'submit'>
  readonly signIn: Pick<SignIn, 'begin'>
  readonly host: () => Host | undefined
  readonly exit: (reason: 'closed' | 'done') => void
}

/** Handles clicks and form submissions by delegation, for every screen of the page. */
export function addClickHandlers(options: ClickHandlerOptions): void {
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null
    if (target !== null) handleClick(options, event, target)
  })
  document.addEventListener('submit', (event) => {
    if (event.target instanceof HTMLFormElement && !event.defaultPrevented)
      handleSubmit(options, event, event.target)
  })
}

function handleClick(
  { isFrame, navigation, host, exit }: ClickHandlerOptions,
  event: MouseEvent,
  target: Element,
) {
  if (target.closest('[data-exit]') && isFrame) {
    event.preventDefault()
    exit(target.closest('.round') ? 'closed' : 'done')
  }
  const fragmentLink = target.closest<HTMLAnchorElement>('a[href^="#"]')
  if (fragmentLink) {
    // A new fragment would drop the host's session from the URL and add a history entry.
    event.preventDefault()
    document.getElementById(fragmentLink.hash.slice(1))?.focus()
  }
  const link = target.closest<HTMLAnchorElement>('a[data-go]')
  if (!link || event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  const { key } = link.dataset
  if (key !== undefined) host()?.event('SELECT_INTEGRATION', { integration: key })
  link.ariaBusy = 'true'
  void navigation.goTo(new URL(link.href))
}

function handleSubmit(
  { isFrame, loader, submitter, signIn, host }: ClickHandlerOptions,
  event: SubmitEvent,
  form: HTMLFormElement,
) {
  if (form.dataset.form === 'sign-in' && signIn.begin(form)) event.preventDefault()
  if (form.dataset.form === 'open' && isFrame) {
    // A navigation would drop the host's session from the URL.
    event.preventDefault()
    loader.submit(form, event.submitter).catch(() => form.submit())
  }
  if (form.dataset.form !== 'connect') return
  event.preventDefault()
  host()?.event('SUBMIT_CREDENTIALS', { integration: getMainElement().dataset.key ?? '' })
  void submitter.submit(form, event.submitter)
}
