import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  IntegrationDefinition,
  serializeLinkedDefinition,
} from '../../integrations/definitions/schemas.ts'
import {
  type FindMissingOAuthAppsDeps,
  findMissingOAuthApps,
} from '../../integrations/oauth-apps/find-missing-oauth-apps.ts'
import type { TakeTurn } from '../../platform/http/pagination.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Link } from './link.ts'
import { createAllowedDefinitionsFilter } from './link-policy.ts'

export interface ReadOfferedDefinitionsDeps extends FindMissingOAuthAppsDeps {
  readonly database: Database
  readonly offeredDefinitions: OfferedDefinitionsCache
  readonly takeTurn: TakeTurn
  readonly baseUrl: () => string
}

/** The definitions that a link allows. */
export interface OfferedDefinitions {
  /** A JSON array. */
  readonly definitions: string
  /** The IDs of those that cannot be connected until the workspace has an OAuth app for them. */
  readonly missingOAuthApps: readonly string[]
}

/** Reads the definitions that a link allows. On SQLite it reads them again only after a commit, of any process. */
export async function readOfferedDefinitions(
  deps: ReadOfferedDefinitionsDeps,
  caller: WorkspaceAccess,
  link: Link,
): Promise<OfferedDefinitions> {
  const filter = createAllowedDefinitionsFilter(link)
  const baseUrl = deps.baseUrl()
  const { userId, boundWorkspaceId } = caller
  const key = JSON.stringify([userId, boundWorkspaceId, filter, link.preferOAuth, baseUrl])
  return deps.offeredDefinitions(key, deps.database.readDataVersion(), async () => {
    const definitions = await deps.definitions.listAll(caller, filter, deps.takeTurn)
    await deps.takeTurn()
    const missingOAuthApps = await findMissingOAuthApps(deps, caller, filter, definitions, {
      oauthOnly: link.preferOAuth,
    })
    const texts: string[] = []
    for (let start = 0; start < definitions.length; start += PART) {
      await deps.takeTurn()
      const part = definitions.slice(start, start + PART)
      texts.push(...part.map((each) => stringify(serializeLinkedDefinition(each, baseUrl))))
    }
    return { definitions: `[${texts.join()}]`, missingOAuthApps }
  })
}

const stringify = createSerializer(IntegrationDefinition)

/** Definitions that are serialized in one turn of the event loop. */
const PART = 100

/** Caches what was read since the last commit, by everything that it depends on besides the database. */
export function createOfferedDefinitionsCache() {
  const cache = new Map<string, OfferedDefinitions>()
  /** What is being read: requests that arrive together share it. */
  const reads = new Map<string, Promise<OfferedDefinitions>>()
  let cachedVersion: number | undefined
  let length = 0
  const clear = (version: number | undefined) => {
    cache.clear()
    reads.clear()
    length = 0
    cachedVersion = version
  }
  return async (
    key: string,
    version: number | undefined,
    read: () => Promise<OfferedDefinitions>,
  ): Promise<OfferedDefinitions> => {
    if (version === undefined) return read()
    if (version !== cachedVersion) clear(version)
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const reading = reads.get(key) ?? read()
    reads.set(key, reading)
    const offered = await reading.finally(() => {
      if (reads.get(key) === reading) reads.delete(key)
    })
    if (version !== cachedVersion || cache.has(key)) return offered
    length += offered.definitions.length
    if (length > MAX_CACHED_LENGTH) clear(version)
    cache.set(key, offered)
    return offered
  }
}

export type OfferedDefinitionsCache = ReturnType<typeof createOfferedDefinitionsCache>

/** In characters: a link without restrictions offers 160,000 with the built-in catalogue. */
const MAX_CACHED_LENGTH = 8_000_000
