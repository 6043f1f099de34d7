import { openChannel } from '../channel.ts'
import { make } from '../surface/surface.ts'

/** Why the page is not shown, as far as anybody can say. */
export interface Why {
  /**
   * `unknownLink`; `notHere`: this origin is not listed, or one around it; `listed`: they are, so the fault is elsewhere;
   * `noOrigin`: this page has none, such as a file; `policy`: of this very page; `silence`: nobody answered.
   */
  readonly code: 'listed' | 'noOrigin' | 'notHere' | 'policy' | 'silence' | 'unknownLink'
  /** The same for the person, in their language. */
  readonly displayMessage?: string | undefined
}

export interface WhyParts {
  readonly holder: Element
  /** Of the page that did not come. */
  readonly url: URL
  readonly session: string
  readonly onAnswer: (why: Why) => void
}

const CODES = ['listed', 'notHere', 'unknownLink'] as const

/** Asks Linchpin by a second frame, out of sight: a page that every origin may hold, which says only this. Answers how to stop. */
export function askWhy({ holder, url, session, onAnswer }: WhyParts): () => void {
  const iframe = make('iframe', 'linchpin-why')
  iframe.hidden = true
  iframe.referrerPolicy = 'no-referrer'
  const channel = openChannel(
    iframe,
    { origin: url.origin, session },
    {
      why({ code: said, displayMessage }) {
        const code = CODES.find((one) => one === said)
        if (code !== undefined) onAnswer({ code, displayMessage })
      },
    },
  )
  const why = new URL(url)
  why.pathname = `${url.pathname.replace(/^\/+/, '/')}/why`
  const lang = url.searchParams.get('lang')
  why.search = new URLSearchParams([
    ...originsHere().map((origin) => ['origin', origin]),
    ...(lang === null ? [] : [['lang', lang]]),
  ]).toString()
  iframe.src = why.href
  holder.append(iframe)
  return () => {
    channel.stop()
    iframe.remove()
  }
}

/** This origin and those of the pages around it, where the browser tells. All of them hold the frame. */
export function originsHere(): string[] {
  const around: Iterable<string> = location.ancestorOrigins ?? []
  return [...new Set([location.origin, ...around])]
}
