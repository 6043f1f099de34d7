import { SESSION_TTL_MS } from '../../oauth-flow/start/new-oauth-session.ts'
import type { VisitAttemptRow } from '../../storage/tables.ts'

/** How an attempt stands now. */
export type SubmissionState =
  | { readonly state: 'running' }
  | { readonly state: 'connected' }
  | { readonly state: 'failed'; readonly code: string; readonly hint: string | undefined }

/** A callback that was claimed in the last second may still be at work. */
const SIGN_IN_TIMEOUT_MS = SESSION_TTL_MS + 2 * 60_000
/** Longer than any check may take: whoever ran it is gone. */
const CHECK_TIMEOUT_MS = 2 * 60_000

/** The state of an attempt. One that ran out of time has failed, whether or not anybody could write that down. */
export function getSubmissionState(row: VisitAttemptRow, now: number): SubmissionState {
  if (row.state === 'connected') return { state: 'connected' }
  if (row.state === 'failed')
    return { state: 'failed', code: row.code ?? 'unknown', hint: row.hint ?? undefined }
  const [limit, code] =
    row.kind === 'sign_in'
      ? [SIGN_IN_TIMEOUT_MS, 'sign_in_overdue']
      : [CHECK_TIMEOUT_MS, 'integration_timeout']
  return now - row.created_at < limit
    ? { state: 'running' }
    : { state: 'failed', code, hint: undefined }
}
