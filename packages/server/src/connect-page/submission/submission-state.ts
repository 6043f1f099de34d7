import type { Submission } from '../../oauth-flow/session/submission.ts'
import { SESSION_TTL_MS } from '../../oauth-flow/start/create-oauth-session-record.ts'

/** The current state of a submission. */
export type SubmissionState =
  | { readonly state: 'running' }
  | { readonly state: 'connected' }
  | { readonly state: 'failed'; readonly code: string; readonly hint: string | undefined }

/** A callback that was claimed in the last second may still be running. */
const SIGN_IN_TIMEOUT_MS = SESSION_TTL_MS + 2 * 60_000
/** Longer than any check may take: the node that ran it has stopped. */
const CHECK_TIMEOUT_MS = 2 * 60_000

/** The state of a submission. One that has timed out has failed, even if no node could record it. */
export function getSubmissionState(row: Submission, now: number): SubmissionState {
  if (row.state === 'connected') return { state: 'connected' }
  if (row.state === 'failed')
    return { state: 'failed', code: row.code ?? 'unknown', hint: row.hint ?? undefined }
  const [limit, code] =
    row.kind === 'sign_in'
      ? [SIGN_IN_TIMEOUT_MS, 'sign_in_overdue']
      : [CHECK_TIMEOUT_MS, 'integration_timeout']
  return now - row.createdAt < limit
    ? { state: 'running' }
    : { state: 'failed', code, hint: undefined }
}
