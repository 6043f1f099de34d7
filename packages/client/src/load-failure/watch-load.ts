import type { HostTexts } from '../host-texts.ts'
import type { LinkFailure } from '../messages.ts'
import { type EmbedError, fetchEmbedError } from './fetch-embed-error.ts'
import { toLinkFailure } from './to-link-failure.ts'

/** The timeout for loading the page. */
const LOAD_TIMEOUT_MS = 10_000
/** Delays after which the error is fetched: after the frame has loaded, and if it has not. */
const DIAGNOSE_AFTER_LOAD_MS = 2_000
const DIAGNOSE_UNLOADED_MS = 6_000

export interface LoadWatchOptions {
  readonly iframe: HTMLIFrameElement
  readonly url: URL
  readonly session: string
  readonly texts: HostTexts
  readonly onFailure: (failure: LinkFailure) => void
}

/**
 * Waits for the page in its frame, and determines why it does not load. Browsers do not report that: a blocked frame
 * loads an error page. Returns a function that stops waiting.
 */
export function watchLoad({
  iframe,
  url,
  session,
  texts,
  onFailure,
}: LoadWatchOptions): () => void {
  let latestError: EmbedError = { code: 'timeout' }
  let stopDiagnosing: (() => void) | undefined
  const fail = (embedError: EmbedError) => {
    stop()
    onFailure(toLinkFailure(embedError, url, texts))
  }
  const diagnose = () => {
    stopDiagnosing ??= fetchEmbedError({
      parent: iframe.parentElement ?? document.body,
      url,
      session,
      onResult(embedError) {
        // The origin is allowed: the page may be slow.
        if (embedError.code === 'listed') latestError = embedError
        else fail(embedError)
      },
    })
  }
  const onViolation = (event: SecurityPolicyViolationEvent) => {
    const isFrame = /^(?:frame|child|default)-src/.test(event.effectiveDirective)
    const isOwnOrigin = event.blockedURI.startsWith(url.origin) && event.disposition === 'enforce'
    if (isFrame && isOwnOrigin) fail({ code: 'csp' })
  }
  const hasOrigin = location.origin !== 'null'
  let diagnoseTimer = setTimeout(diagnose, DIAGNOSE_UNLOADED_MS)
  const onLoad = () => {
    clearTimeout(diagnoseTimer)
    diagnoseTimer = setTimeout(diagnose, DIAGNOSE_AFTER_LOAD_MS)
  }
  const timer = hasOrigin
    ? setTimeout(() => fail(latestError), LOAD_TIMEOUT_MS)
    : setTimeout(() => fail({ code: 'noOrigin' }))
  iframe.addEventListener('load', onLoad)
  document.addEventListener('securitypolicyviolation', onViolation)
  const stop = () => {
    clearTimeout(timer)
    clearTimeout(diagnoseTimer)
    iframe.removeEventListener('load', onLoad)
    document.removeEventListener('securitypolicyviolation', onViolation)
    stopDiagnosing?.()
  }
  return stop
}
