/** A spec in today's spelling. */
export interface NormalizedSpec {
  readonly spec: unknown
  /** Whether anything had to be changed. */
  readonly isChanged: boolean
}

/**
 * Writes a spec as `auth_specification` with `input_specification`, whichever of the two spellings it has. Bundles of 2023
 * say `authSpecification`, `authSupported`, `inputSpecification` and `tokenUrl`. Where both spellings are there, today's
 * wins. An auth type without inputs gets an empty object. What is no spec at all is left for the schema to refuse.
 *
 * @returns a sentence without its end when the two older members contradict each other
 */
export function normalizeSpec(value: unknown): NormalizedSpec | string {
  if (!isObject(value)) return { spec: value, isChanged: false }
  const isOlder = Object.hasOwn(value, 'authSpecification')
  const isToday = Object.hasOwn(value, 'auth_specification')
  const { authSpecification, authSupported, ...rest } = value
  if (isOlder && !isToday) {
    const types = supportedTypes(authSpecification, authSupported)
    if (typeof types === 'string') return types
    return normalizeTypes({ auth_specification: types, ...rest }, true)
  }
  return normalizeTypes(isOlder ? rest : value, isOlder)
}

type Members = Readonly<Record<string, unknown>>

/** What an older spec has of the auth types that it says it supports. */
function supportedTypes(types: unknown, supported: unknown): unknown {
  if (supported === undefined || !isObject(types)) return types
  const isList = Array.isArray(supported) && supported.every((name) => typeof name === 'string')
  if (!isList) return 'authSupported must be a list of the names of auth types'
  const names = new Set<string>(supported)
  const unknown = [...names].find((name) => !Object.hasOwn(types, name))
  if (unknown !== undefined)
    return `authSupported names ${JSON.stringify(unknown.slice(0, 100))}, which authSpecification does not have`
  return Object.fromEntries(Object.entries(types).filter(([name]) => names.has(name)))
}

function normalizeTypes(value: Members, isChanged: boolean): NormalizedSpec {
  const spec = respell(value, SPEC_MEMBERS)
  const { auth_specification: types, other_inputs: inputs } = spec
  if (!isObject(types)) return { spec, isChanged: isChanged || spec !== value }
  const pairs = Object.entries(types).map(([name, type]) => [name, normalizeType(type)] as const)
  const newTypes = pairs.every(([name, type]) => type === types[name])
    ? types
    : Object.fromEntries(pairs)
  const newInputs = isObject(inputs) ? respell(inputs, TYPE_MEMBERS) : inputs
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
  const type = respell(value, TYPE_MEMBERS)
  if (Object.hasOwn(type, 'input_specification')) return type
  return { ...type, input_specification: {} }
}

/** The same object when it has no older member. */
function respell(value: Members, members: ReadonlyMap<string, string>): Members {
  if (!Object.keys(value).some((name) => members.has(name))) return value
  const entries = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    const today = members.get(name)
    if (today === undefined) return [[name, item]]
    return Object.hasOwn(value, today) ? [] : [[today, item]]
  })
  return Object.fromEntries(entries)
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Each name in the older spelling, with today's. */
function respelled(names: readonly string[]): ReadonlyMap<string, string> {
  const older = (name: string) =>
    name.replace(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase())
  return new Map(names.map((name) => [older(name), name]))
}

const SPEC_MEMBERS = respelled(['api_base_url', 'other_inputs'])
const TYPE_MEMBERS = respelled([
  ...['input_specification', 'api_base_url', 'authorization_url', 'token_url', 'refresh_url'],
  ...['revocation_url', 'pushed_authorization_request_url', 'authorization_params'],
  ...['token_params', 'refresh_params', 'callback_params', 'default_scopes', 'scope_separator'],
  ...['scope_seperator', 'token_request_auth_method', 'authorization_method', 'body_format'],
  ...['disable_pkce', 'auth_mode'],
])
