import { firstInvalidField } from './enhance-fields.ts'
import { getLinkId } from './frame-session.ts'
import type { Host } from './host.ts'
import type { PageLoader } from './page-loader.ts'
import { showBusy } from './submit-credentials.ts'
import { showWaitingScreen } from './waiting-screen.ts'
import { watchSubmission } from './watch-submission.ts'

export interface SignInOptions {
  readonly isFrame: boolean
  readonly loader: PageLoader
  readonly host: () => Host | undefined
  readonly onLeave: () => void
}

export interface SignIn {
  /** Sends a form that begins signing in. False: the browser shall send it itself, in this window. */
  begin(form: HTMLFormElement): boolean
  /** Waits for an attempt that the page tells of, such as after a reload. */
  resume(submissionId: string): void
  /** Waits for nothing any more. The server goes on. */
  stop(): void
}

/**
 * Signing in beside the page: in a window that is opened within the click, while this page asks the server how it goes.
 * On phones, and where windows are blocked, it goes on in this window. In a frame there is only the window.
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
    const pageLocation = new URL(location.href)
    stopWatching = watchSubmission({
      url: new URL(
        `/link/${getLinkId(pageLocation.pathname)}/attempts/${submissionId}`,
        pageLocation,
      ),
      submissionId,
      headers: () => loader.headers(pageLocation),
      isWindowGone: () => popup?.closed === true,
      onWindowGone() {
        host()?.event('CLOSE_OAUTH')
        showWaitingScreen('windowClosed', actions)
      },
      onEnd({ state, code = '' }) {
        if (state === 'failed') host()?.event('FAIL_OAUTH', { code })
        stop()
        void loader.navigate(urlWithSubmission(submissionId), { historyMode: 'replace' })
      },
    })
  }
  let actions: Readonly<Record<string, () => void>> = {}
  const waitForPopup = (form: HTMLFormElement, submissionId: string) => {
    actions = { 'open-again': () => openPopup(form), leave: onLeave }
    host()?.event('OPEN_OAUTH', { integration: getFieldValue(form, 'integration') })
    const url = urlWithSubmission(submissionId)
    history.replaceState(history.state, '', url)
    showWaitingScreen('waitingSignIn', actions)
    host()?.post('opened', { status: 'waitingSignIn' })
    startWatching(submissionId)
  }
  const openPopup = (form: HTMLFormElement) => {
    const submissionId = getFieldValue(form, 'attempt')
    // A name of its own each time: the old window may still be there, and is not ours to steer any more.
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
    // What opens there must not be able to send this page elsewhere. It closes itself in the end.
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
      const invalidField = firstInvalidField(form)
      if (invalidField !== undefined) {
        invalidField.focus()
        return true
      }
      // A form that stands in the window itself goes on there.
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

/** Sends it to a window; an empty name is this one. */
function submitToWindow(form: HTMLFormElement, target: string): void {
  const field = form.elements.namedItem('window')
  if (field instanceof HTMLInputElement) field.value = target === '' ? '' : 'popup'
  const originalTarget = form.target
  form.target = target
  form.submit()
  form.target = originalTarget
  if (field instanceof HTMLInputElement) field.value = ''
}

function urlWithSubmission(submissionId: string): URL {
  const url = new URL(location.href)
  url.searchParams.set('attempt', submissionId)
  return url
}

function getFieldValue(form: HTMLFormElement, name: string): string {
  return String(new FormData(form).get(name) ?? '')
}

function isPhone(): boolean {
  return matchMedia('(pointer: coarse)').matches && Math.min(screen.width, screen.height) < 600
}

/** A window in the middle of this one. */
function getWindowFeatures(): string {
  const [width, height] = [520, 720]
  const left = Math.round(screenX + (outerWidth - width) / 2)
  const top = Math.round(screenY + (outerHeight - height) / 2)
  return `popup,width=${width},height=${height},left=${Math.max(0, left)},top=${Math.max(0, top)}`
}
