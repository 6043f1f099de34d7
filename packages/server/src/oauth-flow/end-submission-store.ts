import type { Kysely } from 'kysely'
import type { Tables } from '../storage/tables.ts'
import type { ConnectOutcome, OAuthSessionId } from './session/oauth-session.ts'

/** Ends a submission of the connect page. Returns whether it was running: the first end wins. */
export async function endSubmission(
  trx: Kysely<Tables>,
  identifiedBy: { readonly submissionId: string } | { readonly oauthSessionId: OAuthSessionId },
  outcome: ConnectOutcome,
  now: number,
): Promise<boolean> {
  const update = trx
    .updateTable('visit_attempts')
    .set({ ...toOutcomeColumns(outcome), finished_at: now })
    .where('state', '=', 'running')
  const matched =
    'submissionId' in identifiedBy
      ? update.where('attempt_id', '=', identifiedBy.submissionId)
      : update.where('oauth_attempt_id', '=', identifiedBy.oauthSessionId)
  return (await matched.returning('attempt_id').executeTakeFirst()) !== undefined
}

/** The columns of a submission that has ended. */
function toOutcomeColumns(outcome: ConnectOutcome) {
  if ('accountId' in outcome)
    return {
      state: 'connected',
      code: null,
      field: null,
      hint: null,
      account_id: outcome.accountId,
    } as const
  const { code, field = null, hint } = outcome
  return {
    state: 'failed',
    code,
    field,
    hint: hint?.slice(0, MAX_HINT) ?? null,
    account_id: null,
  } as const
}

/** Maximum stored length of a hint, in characters. */
const MAX_HINT = 500
