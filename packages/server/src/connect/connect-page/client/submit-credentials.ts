import { findFirstInvalidField } from './enhance-fields.ts'
import { getPagePath, type SessionStorage } from './frame-session.ts'
import type { PageLoader } from './page-loader.ts'
import { clearPersistedValues } from './persist-values.ts'
import { getWaitingScreenTitle, hideWaitingScreen, showWaitingScreen } from './screen.ts'

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
export function showBusy(button: HTMLElement | null, label?: string): () => void {
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
