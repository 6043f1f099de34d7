import type { AccountStore } from '../accounts/account-store.ts'
import { serializeLinkedAccount } from '../accounts/schemas/account.ts'
import type { Caller } from '../auth/caller.ts'
import { serializeLinkedDefinition } from '../definitions/schemas.ts'
import {
  type FindMissingOAuthAppsDeps,
  findMissingOAuthApps,
} from '../oauth-apps/find-missing-oauth-apps.ts'
import type { LinkCounterStore } from './counters/link-counter-store.ts'
import { serializeLinkStats } from './counters/link-counters.ts'
import { createAllowedDefinitionsFilter, isClosed } from './link-policy.ts'
import { type LinkStore, requireLink } from './link-store.ts'
import { type ExtendedLink, serializeLink } from './schemas.ts'

export interface GetLinkDeps extends FindMissingOAuthAppsDeps {
  readonly links: LinkStore
  readonly accounts: AccountStore
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
  const link = await requireLink(deps, caller, linkId)
  const definitionFilter = createAllowedDefinitionsFilter(link)
  const [accounts, definitions, counts] = await Promise.all([
    deps.accounts.listOfLink(caller, link, accountIdentifier),
    deps.definitions.listAll(caller, definitionFilter),
    deps.linkCounters.read(caller, link),
  ])
  const missingOAuthApps = await findMissingOAuthApps(deps, caller, definitionFilter, definitions, {
    oauthOnly: link.preferOAuth,
  })
  const serializedAccounts = accounts.map(serializeLinkedAccount)
  return {
    ...serializeLink(link, serializedAccounts),
    expired: isClosed(link, deps.now()),
    integrationAccounts: serializedAccounts,
    integrationDefinitions: definitions.map((definition) =>
      serializeLinkedDefinition(definition, deps.baseUrl()),
    ),
    missingOAuthApps,
    ...serializeLinkStats(counts),
  }
}
