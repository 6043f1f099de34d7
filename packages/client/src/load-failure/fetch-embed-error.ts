import { openChannel } from '../channel.ts'
import { createElement } from '../surface/surface.ts'

/** Why the page was not shown, as far as can be determined. */
export interface EmbedError {
  /**
   * `unknownLink`; `notHere`: this origin, or one around it, is not allowed; `listed`: they are allowed, so the cause
   * is something else; `noOrigin`: this page has no origin, such as a file; `csp`: the content security policy of this
   * page; `timeout`: no response.
   */
  readonly code: 'listed' | 'noOrigin' | 'notHere' | 'csp' | 'timeout' | 'unknownLink'
  /** The message for the user, in their language. */
  readonly displayMessage?: string | undefined
}

export interface EmbedErrorRequest {
  readonly parent: Element
  /** The URL of the page that did not load. */
  readonly url: URL
  readonly session: string
  readonly onResult: (why: EmbedError) => void
}

const CODES = ['listed', 'notHere', 'unknownLink'] as const

/**
 * Fetches the error from Linchpin through a second, hidden frame, whose page every origin may embed. Returns a function
 * that cancels.
 */
export function fetchEmbedError({ parent, url, session, onResult }: EmbedErrorRequest): () => void {
  const iframe = createElement('iframe', 'linchpin-why')
  iframe.hidden = true
  iframe.referrerPolicy = 'no-referrer'
  const channel = openChannel(
    iframe,
    { origin: url.origin, session },
    {
      why({ code: receivedCode, displayMessage }) {
        const code = CODES.find((one) => one === receivedCode)
        if (code !== undefined) onResult({ code, displayMessage })
      },
    },
  )
  const diagnosticsUrl = new URL(url)
  diagnosticsUrl.pathname = `${url.pathname.replace(/^\/+/, '/')}/why`
  const lang = url.searchParams.get('lang')
  diagnosticsUrl.search = new URLSearchParams([
    ...ancestorOrigins().map((origin) => ['origin', origin]),
    ...(lang === null ? [] : [['lang', lang]]),
  ]).toString()
  iframe.src = diagnosticsUrl.href
  parent.append(iframe)
  return () => {
    channel.stop()
    iframe.remove()
  }
}

/** This origin and those of the ancestor frames, where the browser exposes them. All of them must be allowed. */
export function ancestorOrigins(): string[] {
  const outerOrigins: Iterable<string> = location.ancestorOrigins ?? []
  return [...new Set([location.origin, ...outerOrigins])]
}
