import { ApiError } from '../errors.ts'
import type { Transaction } from '../storage/transaction.ts'
import type { Link } from './link.ts'
import type { LinkStore } from './link-store.ts'

export interface AssertLinkAcceptsDeps {
  readonly links: LinkStore
  readonly now: () => number
}

/**
 * Throws unless the link can accept another account. The result is decisive only in the serializable transaction that
 * stores the account; an earlier call merely fails early. Pending accounts count, deleted ones do not. Accounts
 * without an identifier form one group.
 *
 * @throws ApiError `link_revoked`, `link_expired`, `link_full`, `link_identifier_full`
 */
export async function assertLinkAccepts(
  deps: AssertLinkAcceptsDeps,
  db: Transaction,
  link: Link,
  accountIdentifier: string | null,
): Promise<void> {
  assertOpen(link, deps.now())
  const { maxAccounts: max } = link
  if (max !== null && (await deps.links.hasAtLeastAccounts(db, link, max)))
    throw new ApiError('link_full', 'This link has reached its account limit.')
  await assertBelowIdentifierLimit(deps, db, link, accountIdentifier)
}

/** Throws if the link has reached its limit for this accountIdentifier. @throws ApiError `link_identifier_full` */
export async function assertBelowIdentifierLimit(
  { links }: Pick<AssertLinkAcceptsDeps, 'links'>,
  db: Transaction,
  link: Link,
  accountIdentifier: string | null,
): Promise<void> {
  const { maxAccountsPerIdentifier: max } = link
  if (max !== null && (await links.hasAtLeastAccounts(db, link, max, { accountIdentifier })))
    throw new ApiError(
      'link_identifier_full',
      'This link has reached its account limit for this accountIdentifier.',
    )
}

/** Throws if the link is closed. @throws ApiError `link_expired`, `link_revoked` */
export function assertOpen(link: Link, now: number): void {
  if (link.revokedAt !== null)
    throw new ApiError(
      'link_revoked',
      'This link was revoked. No accounts can be added through it.',
    )
  if (isClosed(link, now))
    throw new ApiError(
      'link_expired',
      'This link has expired. No accounts can be added through it.',
    )
}

/** Whether a link is revoked or expired, so that no account can be added through it. */
export function isClosed({ revokedAt, expiresAt }: Link, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now)
}
