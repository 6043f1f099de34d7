import type { AccountStore } from '../accounts/account-store.ts'
import { serializeLinkedAccount } from '../accounts/schemas/serialize-account.ts'
import type { Caller } from '../auth/caller.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { serializeLinkedDefinition } from '../definitions/serialize-definition.ts'
import { ALL_ROWS } from '../http/pagination.ts'
import { allowedDefinitionsFilter } from './assert-definition-allowed.ts'
import { isClosed } from './assert-link-accepts.ts'
import type { LinkCounterStore } from './counters/link-counter-store.ts'
import { serializeLinkStats } from './counters/link-stats.ts'
import type { ExtendedLink } from './link.ts'
import { type RequireLinkDeps, requireLink } from './require-link.ts'
import { serializeLink } from './serialize-link.ts'

export interface GetLinkDeps extends RequireLinkDeps {
  readonly accounts: AccountStore
  readonly definitions: DefinitionStore
  readonly linkCounters: LinkCounterStore
  readonly baseUrl: () => string
  readonly now: () => number
}

/**
 * A link with the definitions that it allows and its live accounts, optionally only those with one accountIdentifier
 * (interface: Get link).
 *
 * @throws ApiError `link_not_found`
 */
export async function getLink(
  deps: GetLinkDeps,
  caller: Caller,
  linkId: string,
  accountIdentifier: string | undefined,
): Promise<ExtendedLink> {
  const row = await requireLink(deps, caller, linkId)
  const filter = { workspaceId: row.workspace_id, linkId, accountIdentifier }
  const [accounts, definitions, counts] = await Promise.all([
    deps.accounts.list(caller, filter, ALL_ROWS),
    deps.definitions.list(caller, allowedDefinitionsFilter(row), ALL_ROWS),
    deps.linkCounters.read(caller, linkId),
  ])
  const serializedAccounts = accounts.map(serializeLinkedAccount)
  return {
    ...serializeLink(row, serializedAccounts),
    expired: isClosed(row, deps.now()),
    integrationAccounts: serializedAccounts,
    integrationDefinitions: definitions.map((definition) =>
      serializeLinkedDefinition(definition, deps.baseUrl()),
    ),
    ...serializeLinkStats(counts),
  }
}
