import { randomBytes } from 'node:crypto'
import type { OAuthSessionId } from '../../oauth-flow/session/oauth-session.ts'
import type { FormStep } from '../integrations.ts'
import { type PageContext, serializePageQuery } from '../page/page-context.ts'
import type { Submission } from './submission.ts'

/** How long a submission is visible to its session. */
const VISIBLE_MS = 60 * 60_000

/** Creates the row of a new submission. */
export function createSubmissionRecord(
  { session, link, query, window }: PageContext,
  { integration, authMethod }: FormStep,
  submissionId: string,
  start: {
    readonly kind: Submission['kind']
    readonly now: number
    readonly oauthSessionId?: OAuthSessionId
  },
): Submission {
  return {
    submissionId: submissionId,
    sessionHash: session.hash,
    linkId: link.linkId,
    workspaceId: link.workspaceId,
    definitionId: integration.definition.definitionId,
    authType: authMethod.authType,
    kind: start.kind,
    oauthSessionId: start.oauthSessionId ?? null,
    // A sign-in cannot return to an embedded page, so it ends in its own window.
    window: window ?? session.kind,
    returnQuery: serializePageQuery(query),
    state: 'running',
    code: null,
    field: null,
    hint: null,
    accountId: null,
    createdAt: start.now,
    finishedAt: null,
    expiresAt: start.now + VISIBLE_MS,
  }
}

/** Generates the ID of a form: 128 random bits in base64url. A form is processed once. */
export function generateSubmissionId(): string {
  return randomBytes(16).toString('base64url')
}
