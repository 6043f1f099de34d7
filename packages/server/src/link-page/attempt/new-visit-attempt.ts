import type { VisitAttemptRow } from '../../storage/tables.ts'
import { writePageQuery } from '../address/page-query.ts'
import type { FormPlace } from '../open/place.ts'
import type { Page } from '../view/page.ts'

/** How long an attempt is shown to its visit. */
const LIFE_MS = 60 * 60_000

/** The row of an attempt that begins. */
export function newVisitAttempt(
  { visit, link, query, window }: Page,
  { tool, way }: FormPlace,
  attempt: string,
  begun: {
    readonly kind: VisitAttemptRow['kind']
    readonly now: number
    readonly oauthAttemptId?: string
  },
): VisitAttemptRow {
  return {
    attempt_id: attempt,
    visit_hash: visit.hash,
    link_id: link.link_id,
    workspace_id: link.workspace_id,
    definition_id: tool.definition.definition_id,
    auth_type: way.authType,
    kind: begun.kind,
    oauth_attempt_id: begun.oauthAttemptId ?? null,
    // The page of a frame cannot be come back to: whatever left it ends in a window.
    window: window ?? visit.kind,
    return_query: writePageQuery(query),
    state: 'running',
    code: null,
    field: null,
    hint: null,
    account_id: null,
    created_at: begun.now,
    finished_at: null,
    expires_at: begun.now + LIFE_MS,
  }
}
