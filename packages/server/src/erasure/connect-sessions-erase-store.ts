import { deleteKeys } from './customer-keys-store.ts'
import type { EraseStep } from './erase-step.ts'
import { addCounts, type ErasureCounts } from './erasure.ts'
import { scrubEventsOfSubject } from './event-scrub-store.ts'

/** Deletes the connect sessions that name the customer, and scrubs their events, of which each has a few. */
export const eraseConnectSessions: EraseStep = async (trx, customer, scrubber, { cursor }) => {
  const { workspaceId, identifier } = customer
  const rows = await trx
    .selectFrom('connect_sessions')
    .select([
      'connect_session_id as id',
      'account_identifier',
      'redirect_url',
      'config_fields',
      'tags',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('connect_session_id', '>', cursor as 'cns_')
    .orderBy('connect_session_id')
    .limit(PAGE)
    .execute()
  const ids = rows
    .filter(
      (row) =>
        row.account_identifier === identifier ||
        scrubber.isNamedIn(row.redirect_url) ||
        scrubber.isNamedIn(row.config_fields) ||
        scrubber.isNamedIn(row.tags),
    )
    .map((row) => row.id)
  if (ids.length > 0)
    await trx.deleteFrom('connect_sessions').where('connect_session_id', 'in', ids).execute()
  await deleteKeys(trx, workspaceId, ids)
  let counts: ErasureCounts = { connectSessions: ids.length }
  for (const id of ids) {
    const events = await scrubEventsOfSubject(trx, workspaceId, id, scrubber, 0)
    counts = addCounts(counts, events.counts)
  }
  return { counts, next: rows.length === PAGE ? rows.at(-1)?.id : undefined }
}

const PAGE = 100
