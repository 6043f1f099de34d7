import type { AccountStore } from '../accounts/account-store.ts'
import type { Actor, AuditActor, EventType } from '../record/change.ts'
import { record } from '../record/record-store.ts'
import type { Transaction } from '../storage/database.ts'
import type { Link } from './link.ts'
import { serializeLink } from './schemas.ts'

/** Records a change of a link in its transaction, with the link as it is now, without its accounts. */
export async function recordLinkChange(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  type: Extract<EventType, `link.${string}`>,
  link: Link,
): Promise<void> {
  const { linkId, workspaceId } = link
  const response = serializeLink(link, [])
  await record(trx, actor, now, {
    action: type,
    workspaceId,
    // A link id is a capability: the audit trail, which is retained for ever, records only its first characters.
    subject: linkId.slice(0, 8),
    event: { type, subject: linkId, data: { link: response } },
    response,
  })
}

/**
 * Records that a link accepts no more accounts, after it got one in the same transaction. The request's idempotency key is
 * settled with the account.
 */
export async function recordIfFull(
  { accounts }: { readonly accounts: Pick<AccountStore, 'hasAtLeastLinkedAccounts'> },
  trx: Transaction,
  { idempotencyClaim: _, ...actor }: Actor,
  link: Link,
  now: number,
): Promise<void> {
  const { maxAccounts: max } = link
  if (max !== null && (await accounts.hasAtLeastLinkedAccounts(trx, link, max)))
    await recordLinkChange(trx, actor, now, 'link.full', link)
}
