import { randomBytes } from 'node:crypto'
import type { VisitAttemptRow } from '../../storage/tables.ts'
import type { FormStep } from '../integrations.ts'
import type { PageContext } from '../page/page-context.ts'
import { serializePageQuery } from '../page/page-query.ts'

/** How long a submission is visible to its session. */
const VISIBLE_MS = 60 * 60_000

/** Creates the row of a new submission. */
export function newSubmission(
  { session, link, query, window }: PageContext,
  { integration, authMethod }: FormStep,
  submissionId: string,
  start: {
    readonly kind: VisitAttemptRow['kind']
    readonly now: number
    readonly oauthAttemptId?: string
  },
): VisitAttemptRow {
  return {
    attempt_id: submissionId,
    visit_hash: session.hash,
    link_id: link.linkId,
    workspace_id: link.workspaceId,
    definition_id: integration.definition.definitionId,
    auth_type: authMethod.authType,
    kind: start.kind,
    oauth_attempt_id: start.oauthAttemptId ?? null,
    // A sign-in cannot return to an embedded page, so it ends in its own window.
    window: window ?? session.kind,
    return_query: serializePageQuery(query),
    state: 'running',
    code: null,
    field: null,
    hint: null,
    account_id: null,
    created_at: start.now,
    finished_at: null,
    expires_at: start.now + VISIBLE_MS,
  }
}

/** Generates the ID of a form: 128 random bits in base64url. A form is processed once. */
export function newSubmissionId(): string {
  return randomBytes(16).toString('base64url')
}
