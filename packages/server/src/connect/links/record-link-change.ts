import type { AccountStore } from '../../accounts/accounts/account-store.ts'
import { type Actor, type AuditActor, SYSTEM_ACTOR } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { record } from '../../platform/record/record-store.ts'
import { inBatches } from '../../platform/rounds.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Link } from './link.ts'
import { markExpiredLinks } from './link-store.ts'
import { serializeLink } from './schemas.ts'

export interface RecordLinkChangeDeps {
  readonly baseUrl: () => string
}

/** Records a change of a link in its transaction, with the link as it is now, without its accounts. */
export async function recordLinkChange(
  { baseUrl }: RecordLinkChangeDeps,
  trx: Transaction,
  actor: AuditActor,
  now: number,
  { type, link, response, changed }: LinkChange,
): Promise<void> {
  const { linkId, workspaceId } = link
  const snapshot = serializeLink(link, [], baseUrl())
  await record(trx, actor, now, {
    action: type,
    workspaceId,
    subject: linkId,
    ...(changed === undefined ? {} : { detail: { fields: changed } }),
    event: {
      type,
      subject: linkId,
      data: { link: snapshot, ...(changed === undefined ? {} : { changed }) },
    },
    response: response ?? snapshot,
  })
}

interface LinkChange {
  readonly type: Extract<EventType, `link.${string}`>
  readonly link: Link
  /** The fields of the request that changed it. */
  readonly changed?: readonly string[]
  /** The response to the request. Default: the link without accounts. */
  readonly response?: object
}

/**
 * Records that a link accepts no more accounts, after it got one in the same transaction. The request's idempotency key is
 * settled with the account.
 */
export async function recordIfFull(
  {
    accounts,
    ...deps
  }: RecordLinkChangeDeps & { readonly accounts: Pick<AccountStore, 'hasAtLeastLinkedAccounts'> },
  trx: Transaction,
  { idempotencyClaim: _, ...actor }: Actor,
  link: Link,
  now: number,
): Promise<void> {
  const { maxAccounts: max } = link
  if (max !== null && (await accounts.hasAtLeastLinkedAccounts(trx, link, max)))
    await recordLinkChange(deps, trx, actor, now, { type: 'link.full', link })
}

export interface RecordExpiredLinksDeps {
  readonly database: Database
  readonly now: () => number
  readonly baseUrl: () => string
}

/** Background work: records once that a link has expired, however many nodes do so. */
export async function recordExpiredLinks(deps: RecordExpiredLinksDeps): Promise<void> {
  const { database, now } = deps
  await inBatches({ size: 100, max: 10 }, (size) =>
    database.transaction(async (trx) => {
      const time = now()
      const expired = await markExpiredLinks(trx, time, size)
      for (const link of expired)
        await recordLinkChange(deps, trx, SYSTEM_ACTOR, time, { type: 'link.expired', link })
      return expired.length
    }),
  )
}
