import type { Actor, EventType } from '../record/change.ts'
import { record } from '../record/record-store.ts'
import type { Transaction } from '../storage/database.ts'
import type { Link } from './link.ts'
import { serializeLink } from './schemas.ts'

/** Records a change of a link in its transaction, with the link as it is now, without its accounts. */
export async function recordLinkChange(
  trx: Transaction,
  actor: Actor,
  now: number,
  type: Extract<EventType, 'link.created' | 'link.revoked'>,
  link: Link,
): Promise<void> {
  const { linkId, workspaceId } = link
  await record(trx, actor, now, {
    action: type,
    workspaceId,
    // A link id is a capability: the audit trail, which is retained for ever, records only its first characters.
    subject: linkId.slice(0, 8),
    event: { type, subject: linkId, data: { link: serializeLink(link, []) } },
  })
}
