import { openChannel } from '../channel.ts'
import { createElement } from '../surface/surface.ts'

/** Why the page is not shown, as far as anybody can say. */
export interface EmbedError {
  /**
   * `unknownLink`; `notHere`: this origin is not listed, or one around it; `listed`: they are, so the fault is elsewhere;
   * `noOrigin`: this page has none, such as a file; `policy`: of this very page; `silence`: nobody answered.
   */
  readonly code: 'listed' | 'noOrigin' | 'notHere' | 'policy' | 'silence' | 'unknownLink'
  /** The same for the person, in their language. */
  readonly displayMessage?: string | undefined
}

export interface EmbedErrorRequest {
  readonly parent: Element
  /** Of the page that did not come. */
  readonly url: URL
  readonly session: string
  readonly onResult: (why: EmbedError) => void
}

const CODES = ['listed', 'notHere', 'unknownLink'] as const

/** Asks Linchpin by a second frame, out of sight: a page that every origin may hold, which says only this. Answers how to stop. */
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

/** This origin and those of the pages around it, where the browser tells. All of them hold the frame. */
export function ancestorOrigins(): string[] {
  const outerOrigins: Iterable<string> = location.ancestorOrigins ?? []
  return [...new Set([location.origin, ...outerOrigins])]
}
