import type { LinkId } from '../links/link.ts'
import { lockLink, replaceLink } from '../links/link-change-store.ts'
import { toLink } from '../links/link-row-store.ts'
import { recordLinkChange } from '../links/record-link-change.ts'
import { SYSTEM_ACTOR } from '../record/change.ts'
import type { Transaction } from '../storage/database.ts'
import type { LinkRow } from '../storage/tables.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import { deleteKeys } from './customer-keys-store.ts'
import type { EraseStep } from './erase-step.ts'
import { addCounts, type ErasureCounts } from './erasure.ts'
import { scrubEventsOfSubject } from './event-scrub-store.ts'
import type { TextScrubber } from './scrub-text.ts'

/**
 * Scrubs links that name the customer. One that names it in a URL was made for it alone: it is revoked, because without
 * that URL it would redirect elsewhere.
 */
export const scrubLinks: EraseStep = async (trx, customer, scrubber, position) => {
  const { cursor, now } = position
  const { workspaceId } = customer
  const rows = await trx
    .selectFrom('links')
    .select(['link_id', 'name', 'redirect_urls', 'allowed_origins'])
    .where('workspace_id', '=', workspaceId)
    .where('link_id', '>', cursor as 'lnk_')
    .orderBy('link_id')
    .limit(PAGE)
    .execute()
  const named: LinkId[] = []
  let counts: ErasureCounts = {}
  for (const found of rows) {
    if (!isNamedInUrls(found, scrubber) && !scrubber.isNamedIn(found.name)) continue
    const row = await lockLink(trx, workspaceId, found.link_id)
    if (row === undefined) continue
    named.push(row.link_id)
    const isRevoked = isNamedInUrls(row, scrubber) && row.revoked_at === null
    const scrubbed = {
      ...row,
      name: scrubber.scrub(row.name),
      redirect_urls: removeNamed(row.redirect_urls, scrubber),
      allowed_origins: removeNamed(row.allowed_origins, scrubber),
      ...(isRevoked ? { revoked_at: now, updated_at: now } : {}),
    }
    await replaceLink(trx, row, scrubbed)
    const events = await scrubEventsOfLink(trx, workspaceId, row.link_id, scrubber)
    counts = addCounts(addCounts(counts, events), { links: 1 })
    if (isRevoked)
      await recordLinkChange(position, trx, SYSTEM_ACTOR, now, {
        ...{ type: 'link.revoked', link: toLink(scrubbed) },
      })
  }
  await deleteKeys(trx, workspaceId, named)
  const last = rows.length === PAGE ? rows.at(-1)?.link_id : undefined
  return { counts, next: last }
}

function isNamedInUrls(
  row: Pick<LinkRow, 'redirect_urls' | 'allowed_origins'>,
  scrubber: TextScrubber,
): boolean {
  return scrubber.isNamedIn(row.redirect_urls) || scrubber.isNamedIn(row.allowed_origins)
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

/** A JSON array without the URLs that name the customer. */
function removeNamed(json: string, scrubber: TextScrubber): string {
  const urls = JSON.parse(json) as string[]
  return JSON.stringify(urls.filter((url) => !scrubber.isNamedIn(url)))
}

const PAGE = 100
