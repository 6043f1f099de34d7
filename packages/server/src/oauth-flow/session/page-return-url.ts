import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { getOrigin, type OAuthSession } from './oauth-session.ts'
import type { Submission } from './submission.ts'

/**
 * The URL at which the user of a session continues on the connect page; undefined when the session did not start there.
 */
export async function getPageReturnUrl(
  { submissions, baseUrl }: Pick<OAuthFlowDeps, 'submissions' | 'baseUrl'>,
  session: OAuthSession,
): Promise<string | undefined> {
  if (getOrigin(session) === 'api') return undefined
  const submission = await submissions.findByOAuth(session.sessionId)
  return submission && pageReturnUrl(baseUrl(), submission)
}

/** The URL that a sign-in returns to: the connect page, or the last page of the sign-in window. */
export function pageReturnUrl(
  baseUrl: string,
  submission: Pick<Submission, 'submissionId' | 'linkId' | 'returnQuery' | 'window'>,
): string {
  const linkUrl = `${baseUrl}/link/${submission.linkId}`
  const query = new URLSearchParams(submission.returnQuery)
  const params = submission.window === 'page' ? query : pickAppearanceParams(query)
  params.set('attempt', submission.submissionId)
  return submission.window === 'page' ? `${linkUrl}?${params}` : `${linkUrl}/closed?${params}`
}

function pickAppearanceParams(query: URLSearchParams): URLSearchParams {
  const names = ['lang', 'theme']
  return new URLSearchParams([...query].filter(([name]) => names.includes(name)))
}
