import type { AccountStore } from '../account/account-store.ts'
import { toLinkedAccount } from '../account/wire/account-answer.ts'
import type { Caller } from '../caller/caller.ts'
import type { Category } from '../definition/category.ts'
import { toLinkedDefinition } from '../definition/definition-answer.ts'
import type { DefinitionListFilter, DefinitionStore } from '../definition/definition-store.ts'
import { ALL } from '../http/page.ts'
import type { LinkRow } from '../storage/tables.ts'
import type { LinkCounterStore } from './counters/link-counter-store.ts'
import { toLinkFigures } from './counters/link-figures.ts'
import { type FindLinkDeps, findLink } from './find-link.ts'
import type { ExtendedLink } from './link.ts'
import { isExpired, toLink } from './link-answer.ts'

export interface GetLinkDeps extends FindLinkDeps {
  readonly accounts: AccountStore
  readonly definitions: DefinitionStore
  readonly linkCounters: LinkCounterStore
  readonly baseUrl: () => string
  readonly now: () => number
}

/**
 * A link with its live accounts, narrowed to a group when one is named, and the definitions that it allows
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
  const row = await findLink(deps, caller, linkId)
  const filter = { workspaceId: row.workspace_id, linkId, accountIdentifier }
  const [accounts, definitions, counts] = await Promise.all([
    deps.accounts.list(caller, filter, ALL),
    deps.definitions.list(caller, allowedDefinitions(row), ALL),
    deps.linkCounters.read(caller, linkId),
  ])
  const shown = accounts.map(toLinkedAccount)
  return {
    ...toLink(row, shown),
    expired: isExpired(row, deps.now()),
    integrationAccounts: shown,
    integrationDefinitions: definitions.map((definition) =>
      toLinkedDefinition(definition, deps.baseUrl()),
    ),
    ...toLinkFigures(counts),
  }
}

/** One definition restricts, else the categories do, else every definition of the workspace is allowed. */
export function allowedDefinitions(row: LinkRow): DefinitionListFilter {
  const keys = (JSON.parse(row.category) as Category[]).map(({ key }) => key)
  if (row.definition_id !== null)
    return { workspaceId: row.workspace_id, definitionId: row.definition_id }
  return { workspaceId: row.workspace_id, typeKeys: keys.length === 0 ? undefined : keys }
}
