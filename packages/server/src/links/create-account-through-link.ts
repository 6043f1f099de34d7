import {
  type CreateAccountContext,
  type CreateVerifiedAccountDeps,
  createVerifiedAccount,
} from '../accounts/create-verified-account.ts'
import type { IntegrationAccount } from '../accounts/schemas/account.ts'
import type { CreateAccountThroughLink } from '../accounts/schemas/account-requests.ts'
import type { Actor } from '../audit/audit-store.ts'
import type { AccessScope } from '../auth/caller.ts'
import { notFound, unknownReference } from '../errors.ts'
import { isId } from '../storage/id.ts'
import type { AccountRow, LinkRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'
import { assertLinkAccepts } from './assert-link-accepts.ts'
import { allowedDefinitionsFilter } from './get-link.ts'
import type { RunExclusive } from './limit-lock.ts'
import type { LinkStore } from './link-store.ts'
import { requireLink } from './require-link.ts'

export interface CreateAccountThroughLinkDeps extends CreateVerifiedAccountDeps {
  readonly links: LinkStore
  readonly withLimitLock: RunExclusive
}

/**
 * Adds an account through a link. The link is checked before the credentials are, and once more in the transaction
 * that stores the account: it may have expired, been revoked or filled up meanwhile.
 *
 * @param overrides what the page for people adds: a name of its own choice, and what is stored beside the account
 * @throws ApiError `link_not_found`, what admitThroughLink throws, and what connectAccount throws
 */
export async function createAccountThroughLink(
  deps: CreateAccountThroughLinkDeps,
  caller: AccessScope & Actor,
  linkId: string,
  input: CreateAccountThroughLink,
  overrides: Partial<
    Pick<CreateAccountContext, 'assertAllowed' | 'resolveName' | 'pageSessionId'>
  > = {},
): Promise<IntegrationAccount> {
  const link = await requireLink(deps, caller, linkId)
  await assertLinkAccepts(deps, deps.database.read, link, input.accountIdentifier ?? null)
  await assertDefinitionAllowed(deps, caller, link, input.integrationDefinitionId)
  const assertAllowed = async (trx: Transaction, account: AccountRow) => {
    const row = await deps.links.find(trx, caller, linkId)
    if (row === undefined) throw notFound('link')
    await assertLinkAccepts(deps, trx, row, account.account_identifier)
    await overrides.assertAllowed?.(trx, account)
  }
  const context = {
    workspaceId: link.workspace_id,
    linkId,
    oauthOnly: link.prefer_oauth === 1,
    assertAllowed,
    withLock: (insert: () => Promise<void>) => deps.withLimitLock(link, insert),
    resolveName: overrides.resolveName,
    pageSessionId: overrides.pageSessionId,
  }
  return createVerifiedAccount(deps, caller, context, input)
}

/** Throws unless the link allows the definition. @throws ApiError `unknown_reference` */
export async function assertDefinitionAllowed(
  deps: Pick<CreateAccountThroughLinkDeps, 'definitions'>,
  caller: AccessScope,
  link: LinkRow,
  definitionId: string,
): Promise<void> {
  const allowed = allowedDefinitionsFilter(link)
  if (allowed.definitionId !== undefined && allowed.definitionId !== definitionId)
    throw unknownReference('integrationDefinitionId')
  if (!isId('def', definitionId)) throw unknownReference('integrationDefinitionId')
  const [found] = await deps.definitions.list(
    caller,
    { ...allowed, definitionId },
    { limit: 1, after: undefined },
  )
  if (found === undefined) throw unknownReference('integrationDefinitionId')
}
