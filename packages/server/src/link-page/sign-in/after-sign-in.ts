import type { AfterAttempt } from '../../connect/attempt/after-attempt.ts'
import type { OAuthAttemptRow, VisitAttemptRow } from '../../storage/tables.ts'
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
      return ours === undefined ? undefined : wayBackUrl(baseUrl(), ours)
    },
  }
}

/** Where the person ends who went off to sign in. */
export function wayBackUrl(
  baseUrl: string,
  row: Pick<VisitAttemptRow, 'attempt_id' | 'link_id' | 'return_query' | 'window'>,
): string {
  const link = `${baseUrl}/link/${row.link_id}`
  const query = new URLSearchParams(row.return_query)
  const kept = row.window === 'page' ? query : languageOf(query)
  kept.set('attempt', row.attempt_id)
  return row.window === 'page' ? `${link}?${kept}` : `${link}/closed?${kept}`
}

function languageOf(query: URLSearchParams): URLSearchParams {
  const names = ['lang', 'theme']
  return new URLSearchParams([...query].filter(([name]) => names.includes(name)))
}

function isOurs({ token_id, link_id }: OAuthAttemptRow): boolean {
  return token_id === null && link_id !== null
}
