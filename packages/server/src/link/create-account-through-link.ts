import {
  type ConnectAccountDeps,
  type ConnectPlace,
  connectAccount,
} from '../account/connect-account.ts'
import type { IntegrationAccount } from '../account/wire/account.ts'
import type { CreateAccountThroughLink } from '../account/wire/account-requests.ts'
import type { Actor } from '../audit/audit-store.ts'
import type { Reach } from '../caller/caller.ts'
import { notFound, unknownReference } from '../errors.ts'
import { isId } from '../storage/id.ts'
import type { AccountRow, LinkRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'
import { findLink } from './find-link.ts'
import { allowedDefinitions } from './get-link.ts'
import type { LinkStore } from './link-store.ts'
import { admitThroughLink } from './policy/admit-through-link.ts'
import type { InTurn } from './policy/turns.ts'

export interface CreateAccountThroughLinkDeps extends ConnectAccountDeps {
  readonly links: LinkStore
  readonly inTurn: InTurn
}

/**
 * Adds an account through a link. The link is checked before the credentials are, and once more in the transaction
 * that stores the account: it may have expired, been revoked or filled up meanwhile.
 *
 * @param passage what the page for people adds: a name of its own choice, and what is stored beside the account
 * @throws ApiError `link_not_found`, what admitThroughLink throws, and what connectAccount throws
 */
export async function createAccountThroughLink(
  deps: CreateAccountThroughLinkDeps,
  caller: Reach & Actor,
  linkId: string,
  input: CreateAccountThroughLink,
  passage: Partial<Pick<ConnectPlace, 'admit' | 'name' | 'visit'>> = {},
): Promise<IntegrationAccount> {
  const link = await findLink(deps, caller, linkId)
  await admitThroughLink(deps, deps.database.read, link, input.accountIdentifier ?? null)
  await refuseForeignDefinition(deps, caller, link, input.integrationDefinitionId)
  const admit = async (trx: Transaction, account: AccountRow) => {
    const row = await deps.links.find(trx, caller, linkId)
    if (row === undefined) throw notFound('link')
    await admitThroughLink(deps, trx, row, account.account_identifier)
    await passage.admit?.(trx, account)
  }
  const place = {
    workspaceId: link.workspace_id,
    linkId,
    oauthOnly: link.prefer_oauth === 1,
    admit,
    inTurn: (store: () => Promise<void>) => deps.inTurn(link, store),
    name: passage.name,
    visit: passage.visit,
  }
  return connectAccount(deps, caller, place, input)
}

/** @throws ApiError `unknown_reference` when the link does not allow the definition */
export async function refuseForeignDefinition(
  deps: Pick<CreateAccountThroughLinkDeps, 'definitions'>,
  caller: Reach,
  link: LinkRow,
  definitionId: string,
): Promise<void> {
  const allowed = allowedDefinitions(link)
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
