import type { DefinitionId } from '../../definitions/definition.ts'
import type { LinkId } from '../../links/link.ts'
import type { OAuthSessionId, ReturnPage } from '../../oauth-flow/session/oauth-session.ts'
import { SESSION_TTL_MS } from '../../oauth-flow/start/create-oauth-session-record.ts'
import type { WorkspaceId } from '../../workspaces/workspace.ts'

/** One submission of a form of the connect page. Times are epoch milliseconds. */
export interface Submission extends ReturnPage {
  /** Generated with the form: 128 random bits in base64url. A form can be submitted once. */
  readonly submissionId: string
  /** SHA-256 of the secret of its page session. */
  readonly sessionHash: Uint8Array
  readonly linkId: LinkId
  readonly workspaceId: WorkspaceId
  readonly definitionId: DefinitionId
  readonly authType: string
  readonly kind: 'credentials' | 'sign_in'
  /** The OAuth session; null for other kinds. */
  readonly oauthSessionId: OAuthSessionId | null
  readonly state: 'running' | 'connected' | 'failed'
  /** Error code; null unless failed. */
  readonly code: string | null
  /** The field and the message of the error, from the integration. */
  readonly field: string | null
  readonly hint: string | null
  readonly accountId: string | null
  readonly createdAt: number
  readonly finishedAt: number | null
  readonly expiresAt: number
}

/** An account that was connected in a page session. */
export interface SessionAccount {
  readonly accountId: string
  readonly accountName: string
  readonly accountIdentifier: string | null
  readonly definitionId: DefinitionId
  readonly definitionName: string
  readonly definitionKey: string
}

/** The current state of a submission. */
export type SubmissionState =
  | { readonly state: 'running' }
  | { readonly state: 'connected' }
  | { readonly state: 'failed'; readonly code: string; readonly hint: string | undefined }

/** A callback that was claimed in the last second may still be running. */
const SIGN_IN_TIMEOUT_MS = SESSION_TTL_MS + 2 * 60_000
/** Longer than any check may take: the node that ran it has stopped. */
const CHECK_TIMEOUT_MS = 2 * 60_000

/**
 * The state of a submission. A submission that has timed out counts as failed, even if no node could record the
 * failure.
 */
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
