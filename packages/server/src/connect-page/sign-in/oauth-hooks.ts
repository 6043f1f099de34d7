import type { SessionHooks } from '../../oauth-flow/oauth-flow-deps.ts'
import type { OAuthAttemptRow, VisitAttemptRow } from '../../storage/tables.ts'
import type { SubmissionStore } from '../stores/submission-store.ts'
import { endSubmission } from '../submission/end-submission.ts'

export interface OAuthHooksDeps {
  readonly submissions: SubmissionStore
  readonly baseUrl: () => string
  readonly now: () => number
}

/**
 * Ends the submission of an OAuth session and returns the URL to redirect to afterwards: the connect page, or the last page
 * of the sign-in window. Only OAuth sessions without a token belong to the connect page.
 */
export function createOAuthHooks({ submissions, baseUrl, now }: OAuthHooksDeps): SessionHooks {
  return {
    async onFinish(trx, oauthSession, outcome) {
      if (!isFromConnectPage(oauthSession)) return
      const submissionRef = { oauthAttemptId: oauthSession.attempt_id }
      await endSubmission(submissions, trx, submissionRef, outcome, now())
    },
    async returnUrl(oauthSession) {
      if (!isFromConnectPage(oauthSession)) return undefined
      const submission = await submissions.findByOAuth(oauthSession.attempt_id)
      return submission === undefined ? undefined : signInReturnUrl(baseUrl(), submission)
    },
  }
}

/** The URL that a sign-in returns to. */
export function signInReturnUrl(
  baseUrl: string,
  row: Pick<VisitAttemptRow, 'attempt_id' | 'link_id' | 'return_query' | 'window'>,
): string {
  const linkUrl = `${baseUrl}/link/${row.link_id}`
  const query = new URLSearchParams(row.return_query)
  const params = row.window === 'page' ? query : pickAppearanceParams(query)
  params.set('attempt', row.attempt_id)
  return row.window === 'page' ? `${linkUrl}?${params}` : `${linkUrl}/closed?${params}`
}

function pickAppearanceParams(query: URLSearchParams): URLSearchParams {
  const names = ['lang', 'theme']
  return new URLSearchParams([...query].filter(([name]) => names.includes(name)))
}

function isFromConnectPage({ token_id, link_id }: OAuthAttemptRow): boolean {
  return token_id === null && link_id !== null
}
