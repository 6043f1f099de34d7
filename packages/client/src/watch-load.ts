import { openChannel } from './channel.ts'
import type { HostTexts } from './host-texts.ts'
import type { LinkFailure } from './messages.ts'
import { createElement } from './surface.ts'

/** The timeout for loading the page. */
const LOAD_TIMEOUT_MS = 10_000
/** Delays after which the error is fetched: after the frame has loaded, and if it has not. */
const DIAGNOSE_AFTER_LOAD_MS = 2_000
const DIAGNOSE_UNLOADED_MS = 6_000

interface LoadWatchOptions {
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
    const failure = toLinkFailure(embedError, url, texts)
    // For the developer of this page: the person sees that it does not work, and cannot do anything about it.
    console.error(`Linchpin: ${failure.message}`)
    onFailure(failure)
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

/** Why the page was not shown, as far as can be determined. */
interface EmbedError {
  /**
   * `unknownLink`; `sessionRefused`: there is no such connect session; `notHere`: this origin, or one around it, is not allowed; `listed`: they are allowed, so the cause
   * is something else; `noOrigin`: this page has no origin, such as a file; `csp`: the content security policy of this
   * page; `timeout`: no response.
   */
  readonly code:
    | 'listed'
    | 'noOrigin'
    | 'notHere'
    | 'csp'
    | 'timeout'
    | 'unknownLink'
    | 'sessionRefused'
  /** The message for the user, in their language. */
  readonly displayMessage?: string | undefined
}

interface EmbedErrorRequest {
  readonly parent: Element
  /** The URL of the page that did not load. */
  readonly url: URL
  readonly session: string
  readonly onResult: (why: EmbedError) => void
}

const CODES = ['listed', 'notHere', 'unknownLink', 'sessionRefused'] as const

/**
 * Fetches the error from Linchpin through a second, hidden frame, whose page every origin may embed. Returns a function
 * that cancels.
 */
function fetchEmbedError({ parent, url, session, onResult }: EmbedErrorRequest): () => void {
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
    ...listAncestorOrigins().map((origin) => ['origin', origin]),
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
function listAncestorOrigins(): string[] {
  const outerOrigins: Iterable<string> = location.ancestorOrigins ?? []
  return [...new Set([location.origin, ...outerOrigins])]
}

/**
 * Converts an embed error to the failure that is reported to the host: a message for developers, and one for the user.
 */
function toLinkFailure(
  { code, displayMessage }: EmbedError,
  { origin, pathname }: URL,
  texts: HostTexts,
): LinkFailure {
  const isTimeout = code === 'timeout' || code === 'listed'
  if (code === 'unknownLink') {
    const link = decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1))
    return {
      code,
      message: `There is no link "${link}" at ${origin}. Check that the link ID is complete and belongs to this Linchpin.`,
      displayMessage: displayMessage ?? texts.failed,
      retryable: false,
    }
  }
  // The path ends in a token, which is a secret.
  if (code === 'sessionRefused')
    return {
      code,
      message: `There is no such connect session at ${origin}: its token is incomplete, or it belongs to another Linchpin, or the session has been erased. Create a new one.`,
      displayMessage: displayMessage ?? texts.failed,
      retryable: false,
    }
  return {
    code: isTimeout ? 'frame_timeout' : 'frame_not_allowed',
    message: MESSAGES[code](origin),
    displayMessage: isTimeout ? texts.failed : texts.notAllowed,
    retryable: isTimeout,
  }
}

const MESSAGES: Readonly<
  Record<Exclude<EmbedError['code'], 'unknownLink' | 'sessionRefused'>, (origin: string) => string>
> = {
  timeout: (origin) =>
    `${origin} did not respond within 10 seconds. Check that it is a running Linchpin, that every page around this one may embed it, and that no proxy or extension blocks its frames.`,
  listed: () =>
    'The connect page did not load within 10 seconds, although this origin may embed it.',
  notHere: () =>
    `${listAncestorOrigins().join(', or one around it: ')} may not embed the connect page: add it to the allowedOrigins of the link if it has any, otherwise to the allowedFrameOrigins of the workspace.`,
  noOrigin: () =>
    'A file or a sandboxed page has no origin that could be allowed: serve it over http.',
  csp: (origin) =>
    `The content security policy of this page does not allow frames from ${origin}: add it to frame-src.`,
}
