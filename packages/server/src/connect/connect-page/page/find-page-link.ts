import { hashSecret } from '../../../access/auth/hash-secret.ts'
import { isId } from '../../../platform/storage/id.ts'
import { isConnectToken } from '../../connect-sessions/connect-token.ts'
import type { VisitedSessionStore } from '../../connect-sessions/visited-session-store.ts'
import type { SharedLinkStore, SharedPolicy } from '../../links/link-store.ts'

export interface FindPageLinkDeps {
  readonly sharedLinks: SharedLinkStore
  readonly visitedSessions: VisitedSessionStore
}

/** What a page may connect, by the ID of a link, the ID of a connect session or its token; undefined if there is none. */
export async function findPageLink(
  deps: FindPageLinkDeps,
  pageId: string,
): Promise<SharedPolicy | undefined> {
  if (isId('lnk', pageId)) return deps.sharedLinks.find(pageId)
  const session = isId('cns', pageId)
    ? await deps.visitedSessions.find(pageId)
    : isConnectToken(pageId)
      ? await deps.visitedSessions.findByToken(hashSecret(pageId))
      : undefined
  return session && deps.sharedLinks.findOfSession(session)
}
