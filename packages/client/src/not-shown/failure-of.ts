import type { LinkFailure } from '../messages.ts'
import type { HostWords } from '../words.ts'
import { originsHere, type Why } from './ask-why.ts'

/** The failure as the host is told: what to do for whoever reads its log, and words for the person. */
export function failureOf(
  { code, displayMessage }: Why,
  { origin, pathname }: URL,
  words: HostWords,
): LinkFailure {
  const isLate = code === 'silence' || code === 'listed'
  if (code === 'unknownLink') {
    const link = decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1))
    return {
      code,
      message: `There is no link "${link}" at ${origin}. Is it whole, and of this Linchpin?`,
      displayMessage: displayMessage ?? words.failed,
      retryable: false,
    }
  }
  return {
    code: isLate ? 'frame_timeout' : 'frame_not_allowed',
    message: MESSAGES[code](origin),
    displayMessage: isLate ? words.failed : words.notAllowed,
    retryable: isLate,
  }
}

const MESSAGES: Readonly<Record<Exclude<Why['code'], 'unknownLink'>, (origin: string) => string>> =
  {
    silence: (origin) =>
      `Nothing came from ${origin} within 10 seconds. Is it a Linchpin, is it running, may every page around this one hold it, and does nothing between (a proxy, an extension) stop its frames?`,
    listed: () =>
      'The connect page did not come up within 10 seconds, though this origin may hold it.',
    notHere: () =>
      `${originsHere().join(', or one around it: ')} may not hold the connect page: add it to the allowedOrigins of the link, when it has any, else to the allowedFrameOrigins of the workspace.`,
    noOrigin: () =>
      'A file, or a page in a sandbox, has no origin that could be listed: serve it over http.',
    policy: (origin) =>
      `The content security policy of this page does not allow frames of ${origin}: add it to frame-src.`,
  }
