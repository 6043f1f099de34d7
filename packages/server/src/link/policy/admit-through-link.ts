import { ApiError } from '../../errors.ts'
import type { LinkRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import { isExpired } from '../link-answer.ts'
import type { LinkStore } from '../link-store.ts'

export interface AdmitThroughLinkDeps {
  readonly links: LinkStore
  readonly now: () => number
}

/**
 * Lets one more account in, or says why not. In the serializable transaction that stores the account it decides; before
 * that it only spares people the way. Pending accounts count, deleted ones do not. Accounts without an identifier are one
 * group.
 *
 * @throws ApiError `link_revoked`, `link_expired`, `link_full`, `link_identifier_full`
 */
export async function admitThroughLink(
  deps: AdmitThroughLinkDeps,
  db: Transaction,
  link: LinkRow,
  accountIdentifier: string | null,
): Promise<void> {
  refuseClosed(link, deps.now())
  const { max_accounts: max } = link
  if (max !== null && (await deps.links.hasAccounts(db, link, max)))
    throw new ApiError('link_full', 'This link has as many accounts as it takes.')
  await refuseFullGroup(deps, db, link, accountIdentifier)
}

/** @throws ApiError `link_identifier_full` */
export async function refuseFullGroup(
  { links }: Pick<AdmitThroughLinkDeps, 'links'>,
  db: Transaction,
  link: LinkRow,
  accountIdentifier: string | null,
): Promise<void> {
  const { max_accounts_per_identifier: max } = link
  if (max !== null && (await links.hasAccounts(db, link, max, { accountIdentifier })))
    throw new ApiError(
      'link_identifier_full',
      'This link has as many accounts as it takes for this accountIdentifier.',
    )
}

/** @throws ApiError `link_expired`, `link_revoked` */
export function refuseClosed(link: LinkRow, now: number): void {
  if (link.revoked_at !== null)
    throw new ApiError('link_revoked', 'This link was revoked. Nothing can be added through it.')
  if (isExpired(link, now))
    throw new ApiError('link_expired', 'This link has expired. Nothing can be added through it.')
}
