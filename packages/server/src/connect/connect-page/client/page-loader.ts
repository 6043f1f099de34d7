import type { FrameSession } from './frame-session.ts'
import { hideWaitingScreen, replacePage, showWaitingScreen } from './screen.ts'

/** Fetches pages and shows them. A new request aborts the previous one. */
export interface PageLoader {
  /** Loads and shows the page of a URL. */
  navigate(url: URL, options?: NavigateOptions): Promise<void>
  /** Submits a form as its button does. Returns false when the request was aborted. @throws TypeError when the server is unreachable */
  submit(form: HTMLFormElement, button?: HTMLElement | null): Promise<boolean>
  /** Aborts the pending request. */
  stop(): void
  headers(url: URL): Record<string, string>
}

export interface NavigateOptions {
  /** How the browser history is updated. */
  readonly historyMode?: 'none' | 'push' | 'replace'
  /** Does not move the focus. */
  readonly keepFocus?: boolean
}

export interface PageLoaderOptions {
  readonly isFrame: boolean
  readonly frameSession: FrameSession
  readonly onLoaded: (keepFocus: boolean) => void
}

export function createPageLoader({
  isFrame,
  frameSession,
  onLoaded,
}: PageLoaderOptions): PageLoader {
  let controller = new AbortController()
  const headers = (url: URL): Record<string, string> => (isFrame ? frameSession.headers(url) : {})

  const load = async (url: URL, init: RequestInit): Promise<Response | undefined> => {
    controller.abort()
    controller = new AbortController()
    const { signal } = controller
    try {
      const response = await fetch(url, { ...init, signal, cache: 'no-store' })
      const text = await response.text()
      if (signal.aborted) return undefined
      return isPage(response) && replacePage(text) ? response : Response.error()
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    }
  }
  const showLoaded = (
    url: URL,
    historyMode: NavigateOptions['historyMode'],
    keepFocus: boolean,
  ) => {
    // A frame must not add history entries to its host page, and keeps the fragment that identifies the host.
    if (isFrame) url.hash = location.hash
    if (historyMode === 'push' && !isFrame && url.href !== location.href)
      history.pushState(history.state, '', url)
    else if (historyMode !== 'none') history.replaceState(history.state, '', url)
    const main = document.querySelector('main')
    if (main !== null) frameSession.store(url, main)
    onLoaded(keepFocus)
  }
  return {
    headers,
    stop: () => controller.abort(),
    async navigate(url, options = {}) {
      const { historyMode = 'push', keepFocus = false } = options
      const retry = () => {
        hideWaitingScreen()
        void this.navigate(url, options)
      }
      try {
        const response = await load(url, { headers: headers(url) })
        if (response === undefined) return
        if (response.type === 'error') location.assign(url)
        else showLoaded(response.redirected ? new URL(response.url) : url, historyMode, keepFocus)
      } catch {
        if (!showWaitingScreen('offline', { retry: retry })) location.assign(url)
      }
    },
    async submit(form, button) {
      const body = new URLSearchParams(
        [...new FormData(form)].map(([name, value]) => [name, String(value)]),
      )
      if (button instanceof HTMLButtonElement && button.name !== '')
        body.append(button.name, button.value)
      const response = await load(new URL(form.action), { method: 'POST', body })
      if (response === undefined) return false
      if (response.type === 'error') throw new TypeError('The response is not a connect page.')
      showLoaded(getUrlAfterSubmit(response), response.redirected ? 'push' : 'replace', false)
      return true
    },
  }
}

/** In a frame there is no redirect after a form: add the submission to the URL, so that a reload shows the result. */
function getUrlAfterSubmit(response: Response): URL {
  if (response.redirected) return new URL(response.url)
  const url = new URL(location.href)
  const { state, attempt, path } = document.querySelector('main')?.dataset ?? {}
  // The session is open now: its URL no longer has the token.
  if (path !== undefined) url.pathname = path
  if (state === 'connected' && attempt !== undefined) url.searchParams.set('attempt', attempt)
  return url
}

function isPage({ headers }: Response): boolean {
  return (headers.get('content-type') ?? '').startsWith('text/html')
}
