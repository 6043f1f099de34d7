import type { HostTexts } from '../host-texts.ts'
import type { LinkFailure } from '../messages.ts'
import { ancestorOrigins, type EmbedError } from './fetch-embed-error.ts'

/** The failure as the host is told: what to do for whoever reads its log, and words for the person. */
export function toLinkFailure(
  { code, displayMessage }: EmbedError,
  { origin, pathname }: URL,
  texts: HostTexts,
): LinkFailure {
  const isTimeout = code === 'silence' || code === 'listed'
  if (code === 'unknownLink') {
    const link = decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1))
    return {
      code,
      message: `There is no link "${link}" at ${origin}. Is it whole, and of this Linchpin?`,
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
  silence: (origin) =>
    `Nothing came from ${origin} within 10 seconds. Is it a Linchpin, is it running, may every page around this one hold it, and does nothing between (a proxy, an extension) stop its frames?`,
  listed: () =>
    'The connect page did not come up within 10 seconds, though this origin may hold it.',
  notHere: () =>
    `${ancestorOrigins().join(', or one around it: ')} may not hold the connect page: add it to the allowedOrigins of the link, when it has any, else to the allowedFrameOrigins of the workspace.`,
  noOrigin: () =>
    'A file, or a page in a sandbox, has no origin that could be listed: serve it over http.',
  policy: (origin) =>
    `The content security policy of this page does not allow frames of ${origin}: add it to frame-src.`,
}
