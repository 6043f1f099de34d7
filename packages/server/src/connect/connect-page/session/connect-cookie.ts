import { timingSafeEqual } from 'node:crypto'
import type { ConnectSession, ConnectSessionId } from '../../connect-sessions/connect-session.ts'
import type { PageCookie, PageSession } from './page-session.ts'

/** The cookie of a connect session, which outlives it by an hour, so that the result stays visible. */
export function getConnectCookie(
  connectSessionId: ConnectSessionId,
  secondsLeft: number,
): PageCookie {
  return { name: `linchpin-connect-${connectSessionId.slice(4)}`, seconds: secondsLeft + 3_600 }
}

/** Whether the session is bound to the browser of a page session. */
export function isBoundTo({ browserHash }: ConnectSession, { hash }: PageSession): boolean {
  return browserHash !== null && timingSafeEqual(browserHash, hash)
}
