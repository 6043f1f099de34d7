import { firstFault } from './faults.ts'
import type { Host } from './host.ts'
import type { PageLoader } from './load-page.ts'
import { keepBusy } from './send-keys.ts'
import { linkOf } from './visit.ts'
import { showWords } from './waiting-words.ts'
import { watchAttempt } from './watch-attempt.ts'

export interface SignInParts {
  readonly isFrame: boolean
  readonly loader: PageLoader
  readonly host: () => Host | undefined
  readonly onLeave: () => void
}

export interface SignIn {
  /** Sends a form that begins signing in. False: the browser shall send it itself, in this window. */
  begin(form: HTMLFormElement): boolean
  /** Waits for an attempt that the page tells of, such as after a reload. */
  resume(attempt: string): void
  /** Waits for nothing any more. The server goes on. */
  stop(): void
}

/**
 * Signing in beside the page: in a window that is opened within the click, while this page asks the server how it goes.
 * On phones, and where windows are blocked, it goes on in this window. In a frame there is only the window.
 */
export function createSignIn({ isFrame, loader, host, onLeave }: SignInParts): SignIn {
  let stopWatching = () => {}
  let opened: Window | null = null

  const stop = () => {
    stopWatching()
    opened = null
  }
  const watch = (attempt: string) => {
    stopWatching()
    const page = new URL(location.href)
    stopWatching = watchAttempt({
      url: new URL(`/link/${linkOf(page.pathname)}/attempts/${attempt}`, page),
      attempt,
      headers: () => loader.headers(page),
      isWindowGone: () => opened?.closed === true,
      onWindowGone() {
        host()?.event('CLOSE_OAUTH')
        showWords('windowClosed', presses)
      },
      onEnd({ state, code = '' }) {
        if (state === 'failed') host()?.event('FAIL_OAUTH', { code })
        stop()
        void loader.go(withAttempt(attempt), { how: 'replace' })
      },
    })
  }
  let presses: Readonly<Record<string, () => void>> = {}
  const wait = (form: HTMLFormElement, attempt: string) => {
    presses = { 'open-again': () => open(form), leave: onLeave }
    host()?.event('OPEN_OAUTH', { integration: fieldOf(form, 'integration') })
    const url = withAttempt(attempt)
    history.replaceState(history.state, '', url)
    showWords('waitingSignIn', presses)
    host()?.post('opened', { status: 'waitingSignIn' })
    watch(attempt)
  }
  const open = (form: HTMLFormElement) => {
    const attempt = fieldOf(form, 'attempt')
    // A name of its own each time: the old window may still be there, and is not ours to steer any more.
    const name = `linchpin-${attempt}-${Date.now()}`
    opened = window.open('', name, isPhone() ? '' : features())
    if (opened === null) {
      host()?.event('POPUP_BLOCKED')
      showWords('popupBlocked', { 'same-window': () => sendHere(form, attempt) })
      return
    }
    submitTo(form, name)
    // What opens there must not be able to send this page elsewhere. It closes itself in the end.
    opened.opener = null
    wait(form, attempt)
  }
  const sendHere = (form: HTMLFormElement, attempt: string) => {
    submitTo(form, isFrame ? '_blank' : '')
    if (isFrame) wait(form, attempt)
  }
  return {
    stop,
    resume: watch,
    begin(form) {
      const fault = firstFault(form)
      if (fault !== undefined) {
        fault.focus()
        return true
      }
      // A form that stands in the window itself goes on there.
      const isBeside = fieldOf(form, 'window') === 'popup'
      if (isBeside || (!isFrame && isPhone())) {
        keepBusy(form.querySelector('button[type="submit"]'))
        return false
      }
      open(form)
      return true
    },
  }
}

/** Sends it to a window; an empty name is this one. */
function submitTo(form: HTMLFormElement, target: string): void {
  const field = form.elements.namedItem('window')
  if (field instanceof HTMLInputElement) field.value = target === '' ? '' : 'popup'
  const before = form.target
  form.target = target
  form.submit()
  form.target = before
  if (field instanceof HTMLInputElement) field.value = ''
}

function withAttempt(attempt: string): URL {
  const url = new URL(location.href)
  url.searchParams.set('attempt', attempt)
  return url
}

function fieldOf(form: HTMLFormElement, name: string): string {
  return String(new FormData(form).get(name) ?? '')
}

function isPhone(): boolean {
  return matchMedia('(pointer: coarse)').matches && Math.min(screen.width, screen.height) < 600
}

/** A window in the middle of this one. */
function features(): string {
  const [width, height] = [520, 720]
  const left = Math.round(screenX + (outerWidth - width) / 2)
  const top = Math.round(screenY + (outerHeight - height) / 2)
  return `popup,width=${width},height=${height},left=${Math.max(0, left)},top=${Math.max(0, top)}`
}
