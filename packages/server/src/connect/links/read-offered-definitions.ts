import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  IntegrationDefinition,
  serializeLinkedDefinition,
} from '../../integrations/definitions/schemas.ts'
import {
  type FindMissingOAuthAppsDeps,
  findMissingOAuthApps,
} from '../../integrations/oauth-apps/select-oauth-app.ts'
import type { TakeTurn } from '../../platform/http/pagination.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { Link } from './link.ts'
import { createAllowedDefinitionsFilter } from './link-policy.ts'

export interface ReadOfferedDefinitionsDeps extends FindMissingOAuthAppsDeps {
  readonly offeredDefinitions: OfferedDefinitionsCache
  readonly takeTurn: TakeTurn
  readonly baseUrl: () => string
}

/** The definitions that a link allows. */
export interface OfferedDefinitions {
  /** A JSON array. Its bytes: to encode it takes longer than the rest of a response. */
  readonly definitions: Uint8Array
  /** The IDs of those that cannot be connected until the workspace has an OAuth app for them. */
  readonly missingOAuthApps: readonly string[]
}

/** Reads the definitions that a link allows, again only after one of what they are made of has changed, on any node. */
export async function readOfferedDefinitions(
  deps: ReadOfferedDefinitionsDeps,
  caller: WorkspaceAccess,
  link: Link,
): Promise<OfferedDefinitions> {
  const filter = createAllowedDefinitionsFilter(link)
  const baseUrl = deps.baseUrl()
  const { userId, boundWorkspaceId } = caller
  // Before the definitions: those of a later epoch may then be cached as of an earlier one, but never the reverse.
  const epoch = await deps.definitions.readEpoch(link.workspaceId)
  const { preferOAuth: oauthOnly, oauthAppId: requestedId, requireCustomerApp } = link
  const options = { oauthOnly, requestedId, requiresCustomerApp: requireCustomerApp }
  const key = JSON.stringify([userId, boundWorkspaceId, filter, options, baseUrl, epoch])
  return deps.offeredDefinitions(key, async () => {
    const definitions = await deps.definitions.listAll(caller, filter, deps.takeTurn)
    await deps.takeTurn()
    const missingOAuthApps = await findMissingOAuthApps(deps, caller, filter, definitions, options)
    const texts: string[] = []
    for (let start = 0; start < definitions.length; start += PART) {
      await deps.takeTurn()
      const part = definitions.slice(start, start + PART)
      texts.push(...part.map((each) => stringify(serializeLinkedDefinition(each, baseUrl))))
    }
    return { definitions: Buffer.from(`[${texts.join()}]`), missingOAuthApps }
  })
}

const stringify = createSerializer(IntegrationDefinition)

/** Definitions that are serialized in one turn of the event loop. */
const PART = 100

/** Caches what was read, by everything that it depends on. Requests that arrive together share a read. */
export function createOfferedDefinitionsCache() {
  /** The most recently used last. */
  const cache = new Map<string, OfferedDefinitions>()
  const reads = new Map<string, Promise<OfferedDefinitions>>()
  let length = 0

  const keep = (key: string, offered: OfferedDefinitions) => {
    cache.set(key, offered)
    length += offered.definitions.length
    for (const [oldest, { definitions }] of cache) {
      if (length <= MAX_CACHED_LENGTH) break
      cache.delete(oldest)
      length -= definitions.length
    }
    return offered
  }

  return (key: string, read: () => Promise<OfferedDefinitions>): Promise<OfferedDefinitions> => {
    const cached = cache.get(key)
    if (cached !== undefined) {
      cache.delete(key)
      cache.set(key, cached)
      return Promise.resolve(cached)
    }
    const reading =
      reads.get(key) ??
      read()
        .then((offered) => keep(key, offered))
        .finally(() => reads.delete(key))
    reads.set(key, reading)
    return reading
  }
}

export type OfferedDefinitionsCache = ReturnType<typeof createOfferedDefinitionsCache>

/** In bytes: a link without restrictions offers 160,000 with the built-in catalogue. */
const MAX_CACHED_LENGTH = 8_000_000
