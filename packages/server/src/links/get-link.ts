import type { AccountStore } from '../accounts/account-store.ts'
import type { Caller } from '../auth/caller.ts'
import { createSerializer } from '../http/serializer.ts'
import type { LinkCounterStore } from './counters/link-counter-store.ts'
import { serializeLinkStats } from './counters/link-counters.ts'
import type { LinkId } from './link.ts'
import { isClosed } from './link-policy.ts'
import { type LinkStore, requireLink } from './link-store.ts'
import {
  type ReadOfferedDefinitionsDeps,
  readOfferedDefinitions,
} from './read-offered-definitions.ts'
import { ExtendedLinkFields, serializeLink } from './schemas.ts'

export interface GetLinkDeps extends ReadOfferedDefinitionsDeps {
  readonly links: LinkStore
  readonly accounts: AccountStore
  readonly linkCounters: LinkCounterStore
  readonly now: () => number
}

/**
 * A link with the definitions that it allows and its live accounts, optionally only those with one accountIdentifier
 * (interface: Get link), as JSON.
 *
 * @throws ApiError `link_not_found`
 */
export async function getLink(
  deps: GetLinkDeps,
  caller: Caller,
  linkId: LinkId,
  accountIdentifier: string | undefined,
): Promise<string> {
  const link = await requireLink(deps, caller, linkId)
  const [accounts, { definitions, missingOAuthApps }, counts] = await Promise.all([
    deps.accounts.readLinkedAccounts(caller, link, accountIdentifier),
    readOfferedDefinitions(deps, caller, link),
    deps.linkCounters.read(caller, link),
  ])
  const own = stringify({
    ...serializeLink(link, []),
    expired: isClosed(link, deps.now()),
    missingOAuthApps: [...missingOAuthApps],
    ...serializeLinkStats(counts),
  })
  // The accounts and the definitions are JSON arrays already; the accounts occur twice.
  return `${own.slice(0, -1)},"IntegrationAccount":${accounts},"integrationAccounts":${accounts},"integrationDefinitions":${definitions}}`
}

const stringify = createSerializer(ExtendedLinkFields)
