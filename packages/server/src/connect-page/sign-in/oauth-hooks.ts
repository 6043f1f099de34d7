import type { SessionHooks } from '../../oauth-flow/oauth-flow-deps.ts'
import type { OAuthSession } from '../../oauth-flow/session/oauth-session.ts'
import type { Submission } from '../stores/submission.ts'
import type { SubmissionStore } from '../stores/submission-store.ts'

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
      const { sessionId: oauthSessionId } = oauthSession
      await submissions.end(trx, { oauthSessionId }, outcome, now())
    },
    async returnUrl(oauthSession) {
      if (!isFromConnectPage(oauthSession)) return undefined
      const submission = await submissions.findByOAuth(oauthSession.sessionId)
      return submission === undefined ? undefined : signInReturnUrl(baseUrl(), submission)
    },
  }
}

/** The URL that a sign-in returns to. */
export function signInReturnUrl(
  baseUrl: string,
  row: Pick<Submission, 'submissionId' | 'linkId' | 'returnQuery' | 'window'>,
): string {
  const linkUrl = `${baseUrl}/link/${row.linkId}`
  const query = new URLSearchParams(row.returnQuery)
  const params = row.window === 'page' ? query : pickAppearanceParams(query)
  params.set('attempt', row.submissionId)
  return row.window === 'page' ? `${linkUrl}?${params}` : `${linkUrl}/closed?${params}`
}

function pickAppearanceParams(query: URLSearchParams): URLSearchParams {
  const names = ['lang', 'theme']
  return new URLSearchParams([...query].filter(([name]) => names.includes(name)))
}

function isFromConnectPage({ tokenId, linkId }: OAuthSession): boolean {
  return tokenId === null && linkId !== null
}
