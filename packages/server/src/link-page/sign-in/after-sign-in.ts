import type { AfterAttempt } from '../../connect/attempt/after-attempt.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { endVisitAttempt } from '../attempt/end-visit-attempt.ts'
import type { VisitAttemptStore } from '../attempt/visit-attempt-store.ts'

export interface AfterSignInDeps {
  readonly visitAttempts: VisitAttemptStore
  readonly baseUrl: () => string
  readonly now: () => number
}

/**
 * What the connect page does when somebody comes back from a provider. Only attempts without a token began there. A
 * window ends on a page of its own; who left the page itself comes back to it.
 */
export function afterSignIn({ visitAttempts, baseUrl, now }: AfterSignInDeps): AfterAttempt {
  return {
    async settle(trx, attempt, end) {
      if (!isOurs(attempt)) return
      const by = { oauthAttemptId: attempt.attempt_id }
      await endVisitAttempt(visitAttempts, trx, by, end, now())
    },
    async wayBack(attempt) {
      if (!isOurs(attempt)) return undefined
      const ours = await visitAttempts.findByOAuth(attempt.attempt_id)
      if (ours === undefined) return undefined
      const link = `${baseUrl()}/link/${ours.link_id}`
      const query = new URLSearchParams(ours.window === 'page' ? ours.return_query : '')
      query.set('attempt', ours.attempt_id)
      return ours.window === 'page' ? `${link}?${query}` : `${link}/closed?${query}`
    },
  }
}

function isOurs({ token_id, link_id }: OAuthAttemptRow): boolean {
  return token_id === null && link_id !== null
}
