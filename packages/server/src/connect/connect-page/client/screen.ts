import type { FrameSession } from './frame-session.ts'

/** The visible state: a waiting screen may cover the one that the server rendered. */
export function getCurrentState(): string {
  const screen = document.querySelector<HTMLElement>('[data-screen]')?.dataset.screen
  const isWaiting = screen === 'waitingSignIn' || screen === 'windowClosed'
  return isWaiting ? 'waitingSignIn' : (getMainElement().dataset.state ?? '')
}

/** The `<main>` element, which is replaced with every state. */
export function getMainElement(): HTMLElement {
  return document.querySelector('main') ?? document.body
}

/** Replaces the current page with a fetched one. Returns false when the document is not a connect page. */
function replacePage(text: string): boolean {
  // The accent is already set, and a style with another nonce would violate this page's CSP.
  const withoutStyles = text.replace(/<style[\s\S]*?<\/style>/, '')
  const nextDocument = new DOMParser().parseFromString(withoutStyles, 'text/html')
  const main = nextDocument.querySelector('main')
  const currentMain = document.querySelector('main')
  if (main === null || currentMain === null) return false
  currentMain.replaceWith(document.adoptNode(main))
  const nextFooter = nextDocument.querySelector('footer')
  if (nextFooter !== null)
    document.querySelector('footer')?.replaceWith(document.adoptNode(nextFooter))
  document.title = nextDocument.title
  for (const name of ['lang', 'dir', 'data-theme']) {
    const value = nextDocument.documentElement.getAttribute(name)
    if (value === null) document.documentElement.removeAttribute(name)
    else document.documentElement.setAttribute(name, value)
  }
  return true
}

/** Moves the focus to the error, else to the heading, which screen readers then announce. */
export function focusScreen(): void {
  const [target] = ['main [data-focus]', 'main [aria-invalid="true"]', 'main h1'].flatMap(
    (selector) => document.querySelector<HTMLElement>(selector) ?? [],
  )
  scrollTo(0, 0)
  target?.focus()
}

/** Screens that the server renders as templates (`client-templates.ts`). */
type WaitingScreenName =
  | 'checking'
  | 'offline'
  | 'popupBlocked'
  | 'slow'
  | 'waitingSignIn'
  | 'windowClosed'

/** The handlers of the buttons `open-again`, `leave`, `retry` and `same-window`. */
type ScreenActions = Readonly<Record<string, () => void>>

/** Shows a waiting screen and hides the page's content behind it. Returns false when the page has no such template. */
export function showWaitingScreen(name: WaitingScreenName, actions: ScreenActions): boolean {
  const main = document.querySelector('main')
  const template = findTemplate(name)
  if (main === null || template === null) return false
  hideWaitingScreen()
  const screen = document.createElement('div')
  screen.dataset.screen = name
  screen.append(template.content.cloneNode(true))
  for (const [action, callback] of Object.entries(actions)) {
    const button = screen.querySelector(`[data-${action}]`)
    button?.addEventListener('click', () => {
      // Cancelling waits for the server.
      if (action === 'leave') button.ariaBusy = 'true'
      callback()
    })
  }
  for (const child of main.children)
    if (child instanceof HTMLElement && !child.hidden && !child.matches('.bar')) {
      child.hidden = true
      child.dataset.behind = ''
    }
  main.append(screen)
  screen.querySelector('h1')?.focus()
  return true
}

/** Removes the waiting screen and shows the content again. */
export function hideWaitingScreen(): void {
  document.querySelector('[data-screen]')?.remove()
  for (const child of document.querySelectorAll<HTMLElement>('[data-behind]')) {
    child.hidden = false
    delete child.dataset.behind
  }
}

/** The title of a waiting screen. */
export function getWaitingScreenTitle(name: WaitingScreenName): string {
  return findTemplate(name)?.content.querySelector('h1')?.textContent ?? ''
}

function findTemplate(name: WaitingScreenName): HTMLTemplateElement | null {
  return document.querySelector(`template[data-words="${name}"]`)
}

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
