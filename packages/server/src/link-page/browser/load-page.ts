import { swap } from './swap.ts'
import type { FrameVisit } from './visit.ts'
import { hideWords, showWords } from './waiting-words.ts'

/** Fetches pages and puts them in place. Whatever is asked for last counts. */
export interface PageLoader {
  /** Goes to another state of the page. */
  go(url: URL, options?: GoOptions): Promise<void>
  /** Sends a form. False: it was given up before an answer came. Rejects with a TypeError when nobody could be reached. */
  send(form: HTMLFormElement): Promise<boolean>
  /** Gives up what is under way. */
  stop(): void
  headers(url: URL): Record<string, string>
}

export interface GoOptions {
  /** What the browser's history makes of it. */
  readonly how?: 'none' | 'push' | 'replace'
  /** Leaves the focus where it is. */
  readonly isQuiet?: boolean
}

export interface LoaderParts {
  readonly isFrame: boolean
  readonly visit: FrameVisit
  readonly onArrive: (isQuiet: boolean) => void
}

export function createLoader({ isFrame, visit, onArrive }: LoaderParts): PageLoader {
  let controller = new AbortController()
  const headers = (url: URL): Record<string, string> => (isFrame ? visit.headers(url) : {})

  const load = async (url: URL, init: RequestInit): Promise<Response | undefined> => {
    controller.abort()
    controller = new AbortController()
    const { signal } = controller
    try {
      const response = await fetch(url, { ...init, signal, cache: 'no-store' })
      const text = await response.text()
      if (signal.aborted) return undefined
      return isPage(response) && swap(text) ? response : Response.error()
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    }
  }
  const arrive = (url: URL, how: GoOptions['how'], isQuiet: boolean) => {
    // A frame leaves the history of the page around it alone, and keeps its fragment, which names that page.
    if (isFrame) url.hash = location.hash
    if (how === 'push' && !isFrame && url.href !== location.href)
      history.pushState(history.state, '', url)
    else if (how !== 'none') history.replaceState(history.state, '', url)
    const main = document.querySelector('main')
    if (main !== null) visit.take(url, main)
    onArrive(isQuiet)
  }
  return {
    headers,
    stop: () => controller.abort(),
    async go(url, options = {}) {
      const { how = 'push', isQuiet = false } = options
      const again = () => {
        hideWords()
        void this.go(url, options)
      }
      try {
        const response = await load(url, { headers: headers(url) })
        if (response === undefined) return
        if (response.type === 'error') location.assign(url)
        else arrive(response.redirected ? new URL(response.url) : url, how, isQuiet)
      } catch {
        if (!showWords('offline', { retry: again })) location.assign(url)
      }
    },
    async send(form) {
      const body = new URLSearchParams(
        [...new FormData(form)].map(([name, value]) => [name, String(value)]),
      )
      const response = await load(new URL(form.action), { method: 'POST', body })
      if (response === undefined) return false
      if (response.type === 'error') throw new TypeError('not a page of ours')
      arrive(afterForm(response), response.redirected ? 'push' : 'replace', false)
      return true
    },
  }
}

/** A frame is not sent on after a form: its address names what was connected, so that a reload shows it. */
function afterForm(response: Response): URL {
  if (response.redirected) return new URL(response.url)
  const url = new URL(location.href)
  const { state, attempt } = document.querySelector('main')?.dataset ?? {}
  if (state === 'connected' && attempt !== undefined) url.searchParams.set('attempt', attempt)
  return url
}

function isPage({ headers }: Response): boolean {
  return (headers.get('content-type') ?? '').startsWith('text/html')
}
