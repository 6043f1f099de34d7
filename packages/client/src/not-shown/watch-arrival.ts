import type { LinkFailure } from '../messages.ts'
import type { HostWords } from '../words.ts'
import { askWhy, type Why } from './ask-why.ts'
import { failureOf } from './failure-of.ts'

/** How long the page may take in all. */
const ANSWER_MS = 10_000
/** When it is asked why: this long after the frame has loaded, or has not. */
const AFTER_LOAD_MS = 2_000
const NOT_LOADED_MS = 6_000

export interface Arrival {
  readonly iframe: HTMLIFrameElement
  readonly url: URL
  readonly session: string
  readonly words: HostWords
  readonly onFailure: (failure: LinkFailure) => void
}

/**
 * Waits for the page in its frame, and finds out why it does not come, which browsers do not tell: a frame that is blocked
 * loads too, as an error page. Answers how to stop waiting.
 */
export function watchArrival({ iframe, url, session, words, onFailure }: Arrival): () => void {
  let latest: Why = { code: 'silence' }
  let stopAsking: (() => void) | undefined
  const fail = (why: Why) => {
    stop()
    onFailure(failureOf(why, url, words))
  }
  const ask = () => {
    stopAsking ??= askWhy({
      holder: iframe.parentElement ?? document.body,
      url,
      session,
      onAnswer(why) {
        // Nothing forbids it: it may be slow.
        if (why.code === 'listed') latest = why
        else fail(why)
      },
    })
  }
  const onViolation = (event: SecurityPolicyViolationEvent) => {
    const isFrame = /^(?:frame|child|default)-src/.test(event.effectiveDirective)
    const isOurs = event.blockedURI.startsWith(url.origin) && event.disposition === 'enforce'
    if (isFrame && isOurs) fail({ code: 'policy' })
  }
  const hasOrigin = location.origin !== 'null'
  let asking = setTimeout(ask, NOT_LOADED_MS)
  const onLoad = () => {
    clearTimeout(asking)
    asking = setTimeout(ask, AFTER_LOAD_MS)
  }
  const timer = hasOrigin
    ? setTimeout(() => fail(latest), ANSWER_MS)
    : setTimeout(() => fail({ code: 'noOrigin' }))
  iframe.addEventListener('load', onLoad)
  document.addEventListener('securitypolicyviolation', onViolation)
  const stop = () => {
    clearTimeout(timer)
    clearTimeout(asking)
    iframe.removeEventListener('load', onLoad)
    document.removeEventListener('securitypolicyviolation', onViolation)
    stopAsking?.()
  }
  return stop
}
