import type { HostTexts } from '../host-texts.ts'
import type { LinkFailure } from '../messages.ts'
import { ancestorOrigins, type EmbedError } from './fetch-embed-error.ts'

/**
 * Converts an embed error to the failure that is reported to the host: a message for developers, and one for the user.
 */
export function toLinkFailure(
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
  return {
    code: isTimeout ? 'frame_timeout' : 'frame_not_allowed',
    message: MESSAGES[code](origin),
    displayMessage: isTimeout ? texts.failed : texts.notAllowed,
    retryable: isTimeout,
  }
}

const MESSAGES: Readonly<
  Record<Exclude<EmbedError['code'], 'unknownLink'>, (origin: string) => string>
> = {
  timeout: (origin) =>
    `${origin} did not respond within 10 seconds. Check that it is a running Linchpin, that every page around this one may embed it, and that no proxy or extension blocks its frames.`,
  listed: () =>
    'The connect page did not load within 10 seconds, although this origin may embed it.',
  notHere: () =>
    `${ancestorOrigins().join(', or one around it: ')} may not embed the connect page: add it to the allowedOrigins of the link if it has any, otherwise to the allowedFrameOrigins of the workspace.`,
  noOrigin: () =>
    'A file or a sandboxed page has no origin that could be allowed: serve it over http.',
  csp: (origin) =>
    `The content security policy of this page does not allow frames from ${origin}: add it to frame-src.`,
}
