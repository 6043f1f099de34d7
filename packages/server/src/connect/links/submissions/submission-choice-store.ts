import type { Kysely } from 'kysely'
import type { Id } from '../../../platform/storage/id.ts'
import type { Tables } from '../../../platform/storage/tables.ts'
import type { EndedSubmission } from './submission-store.ts'

/**
 * Notes that a running sign-in awaits a choice of its person, or that it goes on. Undefined if it is not running. The code
 * distinguishes both: other running submissions have none.
 */
export async function setChoice(
  trx: Kysely<Tables>,
  oauthSessionId: Id<'att'>,
  code: 'already_connected' | null,
): Promise<EndedSubmission | undefined> {
  return trx
    .updateTable('submissions')
    .set({ code })
    .where('oauth_attempt_id', '=', oauthSessionId)
    .where('state', '=', 'running')
    .returning('connect_session_id as connectSessionId')
    .executeTakeFirst()
}
