import type { NewAccount } from '../accounts/account.ts'
import { type InsertAccountDeps, insertAccount, newAccount } from '../accounts/insert-account.ts'
import type { IntegrationAccount } from '../accounts/schemas/account.ts'
import type { CreateAccountThroughLink } from '../accounts/schemas/account-requests.ts'
import { serializeAccount } from '../accounts/schemas/serialize-account.ts'
import {
  type AccountCreator,
  type VerifiedAccount,
  type VerifyAccountDeps,
  verifyAccount,
} from '../accounts/verify-account.ts'
import { notFound } from '../errors.ts'
import type { Transaction } from '../storage/transaction.ts'
import { assertDefinitionAllowed } from './assert-definition-allowed.ts'
import { assertLinkAccepts } from './assert-link-accepts.ts'
import type { RunExclusive } from './limit-lock.ts'
import type { Link } from './link.ts'
import type { LinkStore } from './link-store.ts'
import { requireLink } from './require-link.ts'

export interface CreateAccountThroughLinkDeps extends VerifyAccountDeps, InsertAccountDeps {
  readonly links: LinkStore
  readonly withLimitLock: RunExclusive
}

/**
 * Creates an account through a link (interface: Create integration account through link). The link is checked before the
 * credentials are verified and again when the account is inserted: it may have expired, been revoked or filled up meanwhile.
 *
 * @throws ApiError `link_not_found`; as `assertLinkAccepts` and `verifyAccount`
 */
export async function createAccountThroughLink(
  deps: CreateAccountThroughLinkDeps,
  caller: AccountCreator,
  linkId: string,
  input: CreateAccountThroughLink,
): Promise<IntegrationAccount> {
  const link = await requireLink(deps, caller, linkId)
  return verifyAccountThroughLink(deps, caller, { link }, input, async (verified) => {
    const row = await newAccount(deps, verified, input)
    await deps.withLimitLock(link, () =>
      deps.database.transaction(
        (trx) => insertAccountThroughLink(deps, trx, caller, row, verified),
        { serializable: true },
      ),
    )
    return serializeAccount(row)
  })
}

/**
 * As `verifyAccount`, for an account that the link has to accept.
 *
 * @param origin the link, and the page session that sends the configuration, if any
 */
export async function verifyAccountThroughLink<T>(
  deps: CreateAccountThroughLinkDeps,
  caller: AccountCreator,
  { link, pageSessionId }: { readonly link: Link; readonly pageSessionId?: string },
  input: CreateAccountThroughLink,
  insert: (verified: VerifiedAccount) => Promise<T>,
): Promise<T> {
  await assertLinkAccepts(deps, deps.database.read, link, input.accountIdentifier ?? null)
  await assertDefinitionAllowed(deps, caller, link, input.integrationDefinitionId)
  const target = {
    workspaceId: link.workspaceId,
    linkId: link.linkId,
    oauthOnly: link.preferOAuth,
    pageSessionId,
  }
  return verifyAccount(deps, caller, target, input, insert)
}

/**
 * As `insertAccount`, if the link still accepts the account. Run the transaction with `withLimitLock`.
 *
 * @throws ApiError `link_not_found`; as `assertLinkAccepts` and `insertAccount`
 */
export async function insertAccountThroughLink(
  deps: CreateAccountThroughLinkDeps,
  trx: Transaction,
  caller: AccountCreator,
  row: NewAccount,
  verified: VerifiedAccount,
): Promise<void> {
  const link = row.linkId === null ? undefined : await deps.links.findIn(trx, caller, row.linkId)
  if (link === undefined) throw notFound('link')
  await assertLinkAccepts(deps, trx, link, row.accountIdentifier)
  await insertAccount(deps, trx, caller, row, verified)
}
