import { deleteKeys } from './customer-keys-store.ts'
import type { EraseStep } from './erase-step.ts'
import { scrubEventsOfCustomer } from './event-scrub-store.ts'

/** Deletes the OAuth sessions that name the customer. */
export const eraseOAuthSessions: EraseStep = async (trx, customer, scrubber, { cursor }) => {
  const rows = await trx
    .selectFrom('oauth_attempts')
    .select(['attempt_id as id', 'account_identifier', 'redirect_url', 'name'])
    .where('workspace_id', '=', customer.workspaceId)
    .where('attempt_id', '>', cursor as 'att_')
    .orderBy('attempt_id')
    .limit(PAGE)
    .execute()
  const ids = rows
    .filter(
      (row) =>
        row.account_identifier === customer.identifier ||
        scrubber.isNamedIn(row.redirect_url) ||
        scrubber.isNamedIn(row.name),
    )
    .map((row) => row.id)
  if (ids.length > 0)
    await trx.deleteFrom('oauth_attempts').where('attempt_id', 'in', ids).execute()
  return { counts: { oauthSessions: ids.length }, next: getNext(rows) }
}

/** Deletes the submissions of the connect page that name the customer. */
export const eraseSubmissions: EraseStep = async (trx, customer, scrubber, { cursor }) => {
  const rows = await trx
    .selectFrom('visit_attempts')
    .select(['attempt_id as id', 'return_query', 'field', 'hint'])
    .where('workspace_id', '=', customer.workspaceId)
    .where('attempt_id', '>', cursor)
    .orderBy('attempt_id')
    .limit(PAGE)
    .execute()
  const ids = rows
    .filter((row) => [row.return_query, row.field, row.hint].some(scrubber.isNamedIn))
    .map((row) => row.id)
  if (ids.length > 0)
    await trx.deleteFrom('visit_attempts').where('attempt_id', 'in', ids).execute()
  return { counts: { submissions: ids.length }, next: getNext(rows) }
}

/** Scrubs the names of tokens that are bound to the workspace. */
export const scrubTokens: EraseStep = async (trx, customer, scrubber, { cursor }) => {
  const rows = await trx
    .selectFrom('tokens')
    .select(['token_id as id', 'name'])
    .where('workspace_id', '=', customer.workspaceId)
    .where('token_id', '>', cursor as 'tok_')
    .orderBy('token_id')
    .limit(PAGE)
    .execute()
  const named = rows.filter((row) => scrubber.isNamedIn(row.name))
  for (const { id, name } of named)
    await trx
      .updateTable('tokens')
      .set({ name: scrubber.scrub(name) })
      .where('token_id', '=', id)
      .execute()
  await deleteKeys(
    trx,
    customer.workspaceId,
    named.map((row) => row.id),
  )
  return { counts: { tokens: named.length }, next: getNext(rows) }
}

/** Deletes the previews of the workspace, which have what providers said about accounts. They are stored for an hour. */
export const deletePreviews: EraseStep = async (trx, { workspaceId }) => {
  const rows = await trx
    .selectFrom('previews')
    .select('preview_id as id')
    .where('workspace_id', '=', workspaceId)
    .limit(PAGE)
    .execute()
  if (rows.length > 0)
    await trx
      .deleteFrom('previews')
      .where(
        'preview_id',
        'in',
        rows.map((row) => row.id),
      )
      .execute()
  return { counts: { previews: rows.length }, next: getNext(rows) }
}

/** Scrubs events that have the identifier, such as those of accounts that have another one by now. */
export const scrubRemainingEvents: EraseStep = async (trx, customer, scrubber) => {
  const { counts, hasMore } = await scrubEventsOfCustomer(trx, customer, scrubber)
  return { counts, next: hasMore ? 'more' : undefined }
}

const PAGE = 100

function getNext(rows: readonly { readonly id: string }[]): string | undefined {
  return rows.length === PAGE ? rows.at(-1)?.id : undefined
}
