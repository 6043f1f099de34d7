/** The release of the runtime that an entry needs, and the property that needs it; none if the first release knows all of them. */
export interface NeededRuntime {
  readonly runtime: number
  readonly property?: string
}

/**
 * Finds which release of the runtime first knows all properties of an entry: an earlier one would ignore some, without a word. Expects
 * no valid entry.
 */
export function findNeededRuntime(entry: unknown): NeededRuntime {
  const { auth, identity, ...rest } = toObject(entry)
  const methods = Object.values(toObject(auth)).map(toObject)
  const names = [rest, ...methods].flatMap((each) => Object.keys(each))
  const identities = [identity, ...methods.map((each) => each.identity)].map(toObject)
  const latest = FIRST_RELEASES.find(({ property }) => names.includes(property))
  if (latest !== undefined) return latest
  if (identities.some(({ scopes }) => scopes !== undefined))
    return { runtime: FIRST_WITH_GRANTS, property: 'identity.scopes' }
  return { runtime: 1 }
}

/** The first release of the runtime whose SPEC and IDENTITY say what was granted, and which scopes are missing. */
const FIRST_WITH_GRANTS = 4

/** The first release of the runtime whose SPEC has how often to check, and the steps for a customer's own OAuth app. */
const FIRST_WITH_CHECK_INTERVAL = 5

/** The first release of the runtime with sign-in at MCP servers. */
const FIRST_WITH_MCP = 6

/** The first release of the runtime whose SPEC says that a GET may write. */
const FIRST_WITH_GET_MAY_WRITE = 7

/** Properties of an entry or of its authentication methods, the latest first. */
const FIRST_RELEASES: readonly Required<NeededRuntime>[] = [
  { property: 'getMayWrite', runtime: FIRST_WITH_GET_MAY_WRITE },
  { property: 'mcp', runtime: FIRST_WITH_MCP },
  { property: 'checkInterval', runtime: FIRST_WITH_CHECK_INTERVAL },
  { property: 'appSetup', runtime: FIRST_WITH_CHECK_INTERVAL },
  { property: 'grantedScopes', runtime: FIRST_WITH_GRANTS },
  { property: 'requiredScopes', runtime: FIRST_WITH_GRANTS },
  { property: 'scopeErrors', runtime: FIRST_WITH_GRANTS },
  { property: 'incremental', runtime: FIRST_WITH_GRANTS },
]

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
