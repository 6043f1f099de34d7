import type { LinkId } from '../links/link.ts'
import { toLink } from '../links/link-store.ts'
import { recordLinkChange } from '../links/record-link-change.ts'
import { SYSTEM_ACTOR } from '../record/change.ts'
import type { Transaction } from '../storage/database.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import { addCounts, type Customer, type ErasureCounts } from './erasure.ts'
import { scrubEventsOfCustomer, scrubEventsOfSubject } from './event-scrub-store.ts'
import type { TextScrubber } from './scrub-text.ts'

/** One transaction of an erasure, at `now` in epoch milliseconds, which continues after `cursor`. */
export type EraseStep = (
  trx: Transaction,
  customer: Customer,
  scrubber: TextScrubber,
  position: { readonly cursor: string; readonly now: number },
) => Promise<ErasedBatch>

export interface ErasedBatch {
  readonly counts: ErasureCounts
  /** Where the next transaction continues; undefined when nothing is left. */
  readonly next: string | undefined
}

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

/**
 * Scrubs links that name the customer. One that names it in a URL was made for it alone: it is revoked, because without
 * that URL it would redirect elsewhere.
 */
export const scrubLinks: EraseStep = async (trx, customer, scrubber, { cursor, now }) => {
  const { workspaceId } = customer
  const rows = await trx
    .selectFrom('links')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('link_id', '>', cursor as 'lnk_')
    .orderBy('link_id')
    .limit(PAGE)
    .execute()
  let counts: ErasureCounts = {}
  for (const row of rows) {
    const isNamedInUrl =
      scrubber.isNamedIn(row.redirect_urls) || scrubber.isNamedIn(row.allowed_origins)
    if (!isNamedInUrl && !scrubber.isNamedIn(row.name)) continue
    const isRevoked = isNamedInUrl && row.revoked_at === null
    const scrubbed = {
      name: scrubber.scrub(row.name),
      redirect_urls: removeNamed(row.redirect_urls, scrubber),
      allowed_origins: removeNamed(row.allowed_origins, scrubber),
      ...(isRevoked ? { revoked_at: now, updated_at: now } : {}),
    }
    await trx
      .updateTable('links')
      .set(scrubbed)
      .where('link_id', '=', row.link_id)
      .where('workspace_id', '=', workspaceId)
      .execute()
    const events = await scrubEventsOfLink(trx, workspaceId, row.link_id, scrubber)
    counts = addCounts(addCounts(counts, events), { links: 1 })
    if (isRevoked)
      await recordLinkChange(
        trx,
        SYSTEM_ACTOR,
        now,
        'link.revoked',
        toLink({ ...row, ...scrubbed }),
      )
  }
  const last = rows.length === PAGE ? rows.at(-1)?.link_id : undefined
  return { counts, next: last }
}

/** A link has few events: it is created once and revoked once. */
async function scrubEventsOfLink(
  trx: Transaction,
  workspaceId: WorkspaceId,
  linkId: LinkId,
  scrubber: TextScrubber,
): Promise<ErasureCounts> {
  const { counts } = await scrubEventsOfSubject(trx, workspaceId, linkId, scrubber, 0)
  return counts
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

/** A JSON array without the URLs that name the customer. */
function removeNamed(json: string, scrubber: TextScrubber): string {
  const urls = JSON.parse(json) as string[]
  return JSON.stringify(urls.filter((url) => !scrubber.isNamedIn(url)))
}
