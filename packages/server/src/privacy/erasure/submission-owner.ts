import type { Customer } from './erasure.ts'

/** What decides whose a submission of the connect page is. */
interface OwnedSubmission {
  /** The query of its page. */
  readonly return_query: string
  readonly connect_session_id: string | null
}

/**
 * Whether a submission was made for a customer on a link's page, whose query has the identifier. In a connect session, the
 * query decides nothing: the session has the identifier.
 */
export function isSubmissionOf(submission: OwnedSubmission, { identifier }: Customer): boolean {
  const { return_query, connect_session_id } = submission
  if (connect_session_id !== null) return false
  return new URLSearchParams(return_query).get('accountIdentifier') === identifier
}
