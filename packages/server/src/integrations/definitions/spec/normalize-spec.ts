/** A spec in the current spelling. */
export interface NormalizedSpec {
  readonly spec: unknown
  /** Whether the input had to be changed. */
  readonly isChanged: boolean
}

/**
 * Normalizes a spec to `auth_specification` with `input_specification`. Bundles of 2023 use `authSpecification`,
 * `authSupported`, `inputSpecification` and `tokenUrl`. If both spellings are present, the current one wins. An auth type
 * without inputs gets an empty object. Leaves invalid values for the schema to reject.
 *
 * @returns an error message without a final period if the two older members contradict each other
 */
export function normalizeSpec(value: unknown): NormalizedSpec | string {
  if (!isObject(value)) return { spec: value, isChanged: false }
  const isLegacy = Object.hasOwn(value, 'authSpecification')
  const isCurrent = Object.hasOwn(value, 'auth_specification')
  const { authSpecification, authSupported, ...rest } = value
  if (isLegacy && !isCurrent) {
    const types = selectSupportedTypes(authSpecification, authSupported)
    if (typeof types === 'string') return types
    return normalizeTypes({ auth_specification: types, ...rest }, true)
  }
  return normalizeTypes(isLegacy ? rest : value, isLegacy)
}

type Members = Readonly<Record<string, unknown>>

/** The auth types of an older spec that `authSupported` lists. */
function selectSupportedTypes(types: unknown, supportedNames: unknown): unknown {
  if (supportedNames === undefined || !isObject(types)) return types
  const isList =
    Array.isArray(supportedNames) && supportedNames.every((name) => typeof name === 'string')
  if (!isList) return 'authSupported must be a list of names of auth types'
  const names = new Set<string>(supportedNames)
  const missingType = [...names].find((name) => !Object.hasOwn(types, name))
  if (missingType !== undefined)
    return `authSupported contains ${JSON.stringify(missingType.slice(0, 100))}, which authSpecification does not have`
  return Object.fromEntries(Object.entries(types).filter(([name]) => names.has(name)))
}

function normalizeTypes(value: Members, isChanged: boolean): NormalizedSpec {
  const spec = renameMembers(value, LEGACY_SPEC_MEMBERS)
  const { auth_specification: types, other_inputs: inputs } = spec
  if (!isObject(types)) return { spec, isChanged: isChanged || spec !== value }
  const pairs = Object.entries(types).map(([name, type]) => [name, normalizeType(type)] as const)
  const newTypes = pairs.every(([name, type]) => type === types[name])
    ? types
    : Object.fromEntries(pairs)
  const newInputs = isObject(inputs) ? renameMembers(inputs, LEGACY_TYPE_MEMBERS) : inputs
  if (newTypes === types && newInputs === inputs)
    return { spec, isChanged: isChanged || spec !== value }
  return {
    spec: {
      ...spec,
      auth_specification: newTypes,
      ...(newInputs === undefined ? {} : { other_inputs: newInputs }),
    },
    isChanged: true,
  }
}

function normalizeType(value: unknown): unknown {
  if (!isObject(value)) return value
  const type = renameMembers(value, LEGACY_TYPE_MEMBERS)
  if (Object.hasOwn(type, 'input_specification')) return type
  return { ...type, input_specification: {} }
}

/** Returns the same object if it has no older member. */
function renameMembers(value: Members, members: ReadonlyMap<string, string>): Members {
  if (!Object.keys(value).some((name) => members.has(name))) return value
  const entries = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    const currentName = members.get(name)
    if (currentName === undefined) return [[name, item]]
    return Object.hasOwn(value, currentName) ? [] : [[currentName, item]]
  })
  return Object.fromEntries(entries)
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Older spellings and their current names. */
function listLegacyNames(names: readonly string[]): ReadonlyMap<string, string> {
  const toCamelCase = (name: string) =>
    name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
  return new Map(names.map((name) => [toCamelCase(name), name]))
}

const LEGACY_SPEC_MEMBERS = listLegacyNames(['api_base_url', 'other_inputs'])
const LEGACY_TYPE_MEMBERS = listLegacyNames([
  ...['input_specification', 'api_base_url', 'authorization_url', 'token_url', 'refresh_url'],
  ...['revocation_url', 'pushed_authorization_request_url', 'authorization_params'],
  ...['token_params', 'refresh_params', 'callback_params', 'default_scopes', 'scope_separator'],
  ...['scope_seperator', 'token_request_auth_method', 'authorization_method', 'body_format'],
  ...['disable_pkce', 'auth_mode'],
])
