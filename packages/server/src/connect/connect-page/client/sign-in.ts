import { findFirstInvalidField } from './enhance-fields.ts'
import { getPagePath } from './frame-session.ts'
import type { Host } from './host.ts'
import type { PageLoader } from './page-loader.ts'
import { getMainElement, showWaitingScreen } from './screen.ts'
import { showBusy } from './submit-credentials.ts'
import { watchSubmission } from './watch-submission.ts'

export interface SignInOptions {
  readonly isFrame: boolean
  readonly loader: PageLoader
  readonly host: () => Host | undefined
  readonly onLeave: () => void
}

export interface SignIn {
  /** Submits a sign-in form. Returns false when the browser must submit it in this window. */
  begin(form: HTMLFormElement): boolean
  /** Waits for a sign-in that is already running, for example after a reload. */
  resume(submissionId: string): void
  /** Stops waiting. The sign-in continues on the server. */
  stop(): void
}

/**
 * Runs a sign-in in a popup that is opened by the click, while this page polls the server. On phones, and where popups are
 * blocked, the sign-in continues in this window; in a frame it always needs another window.
 */
export function createSignIn({ isFrame, loader, host, onLeave }: SignInOptions): SignIn {
  let stopWatching = () => {}
  let popup: Window | null = null

  const stop = () => {
    stopWatching()
    popup = null
  }
  const startWatching = (submissionId: string) => {
    stopWatching()
    const pageLocation = getPageUrl()
    stopWatching = watchSubmission({
      url: new URL(`${getPagePath(pageLocation.pathname)}/attempts/${submissionId}`, pageLocation),
      submissionId,
      headers: () => loader.headers(pageLocation),
      isWindowGone: () => popup?.closed === true,
      onWindowGone() {
        host()?.event('CLOSE_OAUTH')
        showWaitingScreen('windowClosed', actions)
      },
      onEnd({ state, code = '' }) {
        // The page asks what to do.
        if (state === 'failed' && code !== 'already_connected')
          host()?.event('FAIL_OAUTH', { code })
        stop()
        void loader.navigate(buildSubmissionUrl(submissionId), { historyMode: 'replace' })
      },
    })
  }
  let actions: Readonly<Record<string, () => void>> = {}
  const waitForPopup = (form: HTMLFormElement, submissionId: string) => {
    actions = { 'open-again': () => openPopup(form), leave: onLeave }
    host()?.event('OPEN_OAUTH', { integration: getFieldValue(form, 'integration') })
    const url = buildSubmissionUrl(submissionId)
    history.replaceState(history.state, '', url)
    showWaitingScreen('waitingSignIn', actions)
    host()?.post('opened', { status: 'waitingSignIn' })
    startWatching(submissionId)
  }
  const openPopup = (form: HTMLFormElement) => {
    const submissionId = getFieldValue(form, 'attempt')
    // A new name each time: the old window may still exist, and we can no longer navigate it.
    const name = `linchpin-${submissionId}-${Date.now()}`
    popup = window.open('', name, isPhone() ? '' : getWindowFeatures())
    if (popup === null) {
      host()?.event('POPUP_BLOCKED')
      showWaitingScreen('popupBlocked', {
        'same-window': () => submitWithoutPopup(form, submissionId),
      })
      return
    }
    submitToWindow(form, name)
    // The provider's page must not be able to navigate this one.
    popup.opener = null
    waitForPopup(form, submissionId)
  }
  const submitWithoutPopup = (form: HTMLFormElement, submissionId: string) => {
    submitToWindow(form, isFrame ? '_blank' : '')
    if (isFrame) waitForPopup(form, submissionId)
  }
  return {
    stop,
    resume: startWatching,
    begin(form) {
      const invalidField = findFirstInvalidField(form)
      if (invalidField !== undefined) {
        invalidField.focus()
        return true
      }
      // A form inside the popup continues there.
      const isPopup = getFieldValue(form, 'window') === 'popup'
      if (isPopup || (!isFrame && isPhone())) {
        showBusy(form.querySelector('button[type="submit"]'))
        return false
      }
      openPopup(form)
      return true
    },
  }
}

/** Submits a form to a window; an empty target is this one. */
function submitToWindow(form: HTMLFormElement, target: string): void {
  const field = form.elements.namedItem('window')
  if (field instanceof HTMLInputElement) field.value = target === '' ? '' : 'popup'
  const originalTarget = form.target
  form.target = target
  form.submit()
  form.target = originalTarget
  if (field instanceof HTMLInputElement) field.value = ''
}

/** The URL of the page, without the token of a session that the form opens. */
function getPageUrl(): URL {
  const url = new URL(location.href)
  const { path } = getMainElement().dataset
  if (path !== undefined) url.pathname = path
  return url
}

function buildSubmissionUrl(submissionId: string): URL {
  const url = getPageUrl()
  url.searchParams.set('attempt', submissionId)
  return url
}

function getFieldValue(form: HTMLFormElement, name: string): string {
  return String(new FormData(form).get(name) ?? '')
}

function isPhone(): boolean {
  return matchMedia('(pointer: coarse)').matches && Math.min(screen.width, screen.height) < 600
}

/** Features of a popup that is centered on this window. */
function getWindowFeatures(): string {
  const [width, height] = [520, 720]
  const left = Math.round(screenX + (outerWidth - width) / 2)
  const top = Math.round(screenY + (outerHeight - height) / 2)
  return `popup,width=${width},height=${height},left=${Math.max(0, left)},top=${Math.max(0, top)}`
}
