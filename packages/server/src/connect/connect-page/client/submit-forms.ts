import { clearPersistedValues, findFirstInvalidField } from './enhance-fields.ts'
import { getPagePath, type SessionStorage } from './frame-session.ts'
import type { Host } from './host.ts'
import {
  getMainElement,
  getWaitingScreenTitle,
  hideWaitingScreen,
  type PageLoader,
  showWaitingScreen,
} from './screen.ts'
import { watchSubmission } from './watch-submission.ts'

const SLOW_MS = 8_000
const CANCEL_RETRY_MS = 500

export interface CredentialSubmitterOptions {
  readonly loader: PageLoader
  readonly storage: SessionStorage
  readonly announce: (text: string) => void
  /** The person cancels the check. */
  readonly onLeave: () => void
}

export interface CredentialSubmitter {
  /**
   * Validates and submits a credentials form, shows progress, and offers to cancel after 8 seconds. When the server is
   * unreachable, the values stay and the form can be sent again: the server processes it once.
   */
  submit(form: HTMLFormElement, pressed?: HTMLElement | null): Promise<void>
  /** Cancels the running check. Returns the submission ID when it was too late, or when the result is unknown. */
  cancel(): Promise<string | undefined>
  /** Cancels without waiting, for a page that is unloading. */
  abandon(): void
}

/** Submits credentials, and cancels the check when the person leaves before the response arrives. */
export function createCredentialSubmitter({
  loader,
  storage,
  announce,
  onLeave,
}: CredentialSubmitterOptions): CredentialSubmitter {
  let pendingUrl: URL | undefined
  let cancelling: Promise<string | undefined> | undefined
  const requestCancel = async (url: URL, keepalive = false): Promise<string> => {
    const headers = loader.headers(new URL(location.href))
    const response = await fetch(url, { method: 'DELETE', headers, keepalive, cache: 'no-store' })
    const { state = '' } = (await response.json()) as { state?: string }
    return response.ok || response.status === 404 ? state : ''
  }
  const cancelNow = async (): Promise<string | undefined> => {
    const url = pendingUrl
    if (url === undefined) return undefined
    loader.stop()
    try {
      let state = await requestCancel(url)
      // The DELETE may have overtaken the POST.
      if (state === 'unknown') state = await wait(CANCEL_RETRY_MS).then(() => requestCancel(url))
      pendingUrl = undefined
      return state === 'failed' || state === 'unknown' ? undefined : getSubmissionId(url)
    } catch {
      return getSubmissionId(url)
    }
  }
  const submit = async (form: HTMLFormElement, pressed?: HTMLElement | null): Promise<void> => {
    const invalidField = findFirstInvalidField(form)
    if (invalidField !== undefined) {
      invalidField.focus()
      return
    }
    const buttons = [
      ...form.querySelectorAll<HTMLElement>('button[type="submit"], button:not([type])'),
    ]
    if (buttons.some(({ ariaBusy }) => ariaBusy === 'true')) return
    const button = pressed ?? buttons[0] ?? null
    const restoreButton = showBusy(button, getWaitingScreenTitle('checking'))
    announce(getWaitingScreenTitle('checking'))
    const slowTimer = setTimeout(() => showWaitingScreen('slow', { leave: onLeave }), SLOW_MS)
    pendingUrl = getSubmissionUrl(form)
    try {
      if (await loader.submit(form, button)) {
        pendingUrl = undefined
        keepSecrets(form)
      }
      if (document.querySelector('main[data-account]') !== null) clearPersistedValues(form, storage)
    } catch {
      restoreButton()
      const retry = () => {
        hideWaitingScreen()
        void submit(form, button)
      }
      if (!showWaitingScreen('offline', { retry })) {
        pendingUrl = undefined
        form.submit()
      }
    } finally {
      clearTimeout(slowTimer)
      announce('')
    }
  }
  return {
    submit,
    cancel() {
      cancelling ??= cancelNow().finally(() => {
        cancelling = undefined
      })
      return cancelling
    },
    abandon() {
      if (pendingUrl !== undefined) requestCancel(pendingUrl, true).catch(() => undefined)
    },
  }
}

/** After a temporary failure the secrets stay in the form: they never left this page. */
function keepSecrets(submitted: HTMLFormElement): void {
  const main = document.querySelector<HTMLElement>('main[data-temporary]')
  const form = main?.querySelector<HTMLFormElement>('form[method="post"]')
  if (!main || !form) return
  for (const { name, value } of submitted.querySelectorAll<HTMLInputElement>('[data-secret]')) {
    const field = form.elements.namedItem(name)
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)
      field.value = value
  }
  main.querySelector('[data-reenter]')?.remove()
  // There is nothing to enter, only to choose.
  main.querySelector('[data-kept]')?.setAttribute('hidden', '')
}

function getSubmissionUrl(form: HTMLFormElement): URL {
  const { pathname } = new URL(form.action)
  const submissionId = String(new FormData(form).get('attempt') ?? '')
  return new URL(`${getPagePath(pathname)}/attempts/${submissionId}`, location.href)
}

function getSubmissionId({ pathname }: URL): string {
  return pathname.slice(pathname.lastIndexOf('/') + 1)
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Marks a button as busy. Returns the function that restores it. */
function showBusy(button: HTMLElement | null, label?: string): () => void {
  if (button === null) return () => undefined
  const text = button.querySelector('span')
  const originalContent = [...(text?.childNodes ?? [])]
  button.ariaBusy = 'true'
  if (label !== undefined) text?.replaceChildren(label)
  return () => {
    button.ariaBusy = null
    text?.replaceChildren(...originalContent)
  }
}

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
