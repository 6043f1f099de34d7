import { findDiscoveryProblem, findRevocationProblem } from '@linchpin/kit/entry'
import {
  type InputProperty,
  type InputSpecification,
  type Runner,
  RunnerError,
  type Spec,
  type Tenant,
} from '@linchpin/runner'
import { Ajv, type ErrorObject } from 'ajv'
import { ApiError, fieldError } from '../../../platform/errors.ts'
import { isJsonObject } from '../../../platform/json.ts'
import { once } from '../../../platform/once.ts'
import { isCallbackParamName } from '../../oauth/authorize/authorization-response.ts'
import { findTemplateError } from '../../oauth/spec/endpoint-templates.ts'
import { findParamNameError } from '../../oauth/spec/parse-oauth-type.ts'
import { getOptionKey, isAuthErrorPath, isDeclaredSecret, SPEC_SCHEMA } from './spec-schema.ts'

/** Limits of a spec. */
const MAX_BYTES = 256 * 1024
const MAX_DEPTH = 16
const MAX_NODES = 2_000
/** Shared inputs count for each auth type: without this limit a spec of 256 kB could declare 900,000 fields. */
const MAX_FIELDS = 5_000

const formats = {
  'url-template': isUrlTemplate,
  'callback-name': isCallbackParamName,
  'auth-error-path': isAuthErrorPath,
  'header-name': isHeaderName,
}
// The test of the schema validates it against its meta-schema, which costs more to compile.
const AJV_OPTIONS = { strict: false, meta: false, validateSchema: false, formats }
const getShapeValidator = once(() => new Ajv(AJV_OPTIONS).compile<Spec>(SPEC_SCHEMA))

/** A validated spec in the current spelling, and the JSON text that is stored and returned. */
interface ValidatedSpec {
  readonly spec: Spec
  readonly json: string
}

/**
 * Validates size, depth, count and shape of the result of SPEC, and normalizes older spellings.
 *
 * @returns the spec, or an error message
 */
export function validateSpec(value: unknown): ValidatedSpec | string {
  const inputJson = JSON.stringify(value) ?? 'null'
  if (Buffer.byteLength(inputJson) > MAX_BYTES) return 'its spec is larger than 256 kB.'
  const size = measure(value, 1)
  if (size.depth > MAX_DEPTH) return `its spec is nested deeper than ${MAX_DEPTH} levels.`
  if (size.nodes > MAX_NODES) return `its spec has more than ${MAX_NODES} values.`
  const normalized = normalizeSpec(value)
  if (typeof normalized === 'string') return `its spec is invalid: ${normalized}.`
  const { spec, isChanged } = normalized
  const isSpec = getShapeValidator()
  if (!isSpec(spec)) return `its spec is invalid: ${describeError(isSpec.errors?.[0])}.`
  if (countFields(spec) > MAX_FIELDS)
    return `its spec has more than ${MAX_FIELDS} fields, counting those of other_inputs for each auth type.`
  const message =
    findFactError(spec) ??
    findRevocationError(spec) ??
    findNameError(spec) ??
    findDiscoveryError(spec) ??
    findPrematurePlaceholder(spec) ??
    findUnmatchedLabel(spec) ??
    findTemplateError(spec)
  const json = isChanged ? JSON.stringify(spec) : inputJson
  return message === undefined ? { spec, json } : `its spec is invalid: ${message}.`
}

/** The patterns of a spec. They are compiled only in the sandbox. */
function listPatterns(spec: Spec): string[] {
  return listFields(spec)
    .map(([, property]) => property.pattern)
    .filter((pattern) => pattern !== undefined)
}

function listFields(spec: Spec): [string, InputProperty][] {
  const sections: (InputSpecification | undefined)[] = [
    spec.other_inputs?.input_specification,
    ...Object.values(spec.auth_specification).map((auth) => auth.input_specification),
  ]
  return sections.flatMap((section) => Object.entries(section?.properties ?? {}))
}

function countFields(spec: Spec): number {
  const count = (input: InputSpecification | undefined) =>
    Object.keys(input?.properties ?? {}).length
  const shared = count(spec.other_inputs?.input_specification)
  const types = Object.values(spec.auth_specification)
  return types.reduce((sum, auth) => sum + shared + count(auth.input_specification), 0)
}

function measure(value: unknown, depth: number): { depth: number; nodes: number } {
  if (value === null || typeof value !== 'object') return { depth, nodes: 1 }
  // Stop: the limit is exceeded.
  if (depth > MAX_DEPTH) return { depth, nodes: 1 }
  let deepest = depth
  let nodes = 1
  for (const item of Object.values(value)) {
    const inner = measure(item, depth + 1)
    deepest = Math.max(deepest, inner.depth)
    nodes += inner.nodes
    if (nodes > MAX_NODES) break
  }
  return { depth: deepest, nodes }
}

function describeError(error: ErrorObject | undefined): string {
  if (error === undefined) return 'the spec is not valid'
  const steps = error.instancePath.split('/').slice(1)
  const path = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
  return `${path || 'the spec'} ${ERROR_MESSAGES[getErrorKey(error)] ?? error.message ?? 'is not valid'}`
}

/** A format is identified by its name, an enum by its values. */
function getErrorKey({ keyword, params }: ErrorObject): string {
  return keyword === 'format' ? String(params.format) : String(params.allowedValues ?? keyword)
}

const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of spec authors
  'url-template': 'must be an https URL, which may contain ${name}',
  'callback-name': 'must be a parameter name that OAuth does not use itself',
  'auth-error-path': 'must have paths such as error.code or errors.*.code as its names',
  always: 'must be "always" or absent',
  complete: 'must be "complete" or absent',
  mcp: 'must be "mcp" or absent',
  'temporary,ended,client': 'must be "temporary", "ended" or "client"',
  'ask,all,first': 'must be "ask", "all", "first" or absent',
  'token,grant': 'must be "token", "grant" or absent',
  'header-name': 'must have names of headers as its names, and not one that Linchpin sets',
  'DELETE,GET,POST': 'must be "DELETE", "GET", "POST" or absent',
  'body,header': 'must be "body", "header" or absent',
  'true,false,true,false': 'must be true or false',
}

/** A fact has a name of its own: a customer could type the value of a field, and a fact comes from the provider. */
function findFactError(spec: Spec): string | undefined {
  for (const [authType, auth] of Object.entries(spec.auth_specification)) {
    const names = (auth['x-facts'] ?? []).map(({ name }) => name)
    const taken = Object.keys({
      ...spec.other_inputs?.input_specification?.properties,
      ...auth.input_specification?.properties,
    })
    const known = [...taken, ...(auth.callback_params ?? [])]
    const name = names.find((each, at) => known.includes(each) || names.indexOf(each) !== at)
    if (name !== undefined)
      return `auth_specification.${authType}.x-facts contains ${name}, which is the name of something else`
  }
  return undefined
}

/** A field name of RFC 9110 section 5.1, except those that frame the request. */
function isHeaderName(name: string): boolean {
  return (
    /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) &&
    !/^(?:host|content-length|transfer-encoding|connection|te|trailer|upgrade|expect)$/i.test(name)
  )
}

/** A request that revokes nothing, or that would reveal a secret. */
function findRevocationError(spec: Spec): string | undefined {
  for (const [authType, auth] of Object.entries(spec.auth_specification)) {
    const path = `auth_specification.${authType}`
    const requests = auth['x-revocation'] ?? []
    if (requests.length > 0 && auth.revocation_url)
      return `${path} has both revocation_url and x-revocation`
    const fields = {
      ...spec.other_inputs?.input_specification?.properties,
      ...auth.input_specification?.properties,
    }
    const secrets = Object.keys(fields).filter((name) => isDeclaredSecret(fields[name] ?? {}))
    for (const [at, request] of requests.entries()) {
      const problem = findRevocationProblem(request, secrets)
      if (problem !== undefined) return `${path}.x-revocation.${at} ${problem}`
    }
  }
  return undefined
}

/** A parameter whose name another one has would be sent, or read, in its place. */
function findNameError(spec: Spec): string | undefined {
  for (const [authType, auth] of Object.entries(spec.auth_specification)) {
    const error = findParamNameError(auth['x-param-names'] ?? {})
    if (error !== undefined) return `auth_specification.${authType}.x-param-names contains ${error}`
  }
  return undefined
}

/** What a server says about its sign-in is not in the spec, too. */
function findDiscoveryError(spec: Spec): string | undefined {
  for (const [authType, auth] of Object.entries(spec.auth_specification)) {
    const error = findDiscoveryProblem(auth)
    if (error !== undefined) return `auth_specification.${authType} ${error}`
  }
  return undefined
}

/** A URL that is requested before the callback cannot contain parameters of the callback, and the token URL no fact. */
function findPrematurePlaceholder(spec: Spec): string | undefined {
  for (const [authType, auth] of Object.entries(spec.auth_specification)) {
    const inputProperties = {
      ...spec.other_inputs?.input_specification?.properties,
      ...auth.input_specification?.properties,
    }
    for (const field of PRE_SIGN_IN_URLS) {
      const facts = (auth['x-facts'] ?? []).map((fact) => fact.name)
      const later = field === 'token_url' ? facts : [...(auth.callback_params ?? []), ...facts]
      const name = later.find(
        (each) => !Object.hasOwn(inputProperties, each) && auth[field]?.includes(`\${${each}}`),
      )
      const event = field === 'token_url' ? 'sign-in' : 'OAuth callback'
      if (name !== undefined)
        return `auth_specification.${authType}.${field} contains ${name}, which is only known after the ${event}`
    }
  }
  return undefined
}

const PRE_SIGN_IN_URLS = [
  'authorization_url',
  'token_url',
  'pushed_authorization_request_url',
  'server_url',
] as const

/** A label without a matching enum value is never shown, so it must be a mistake. */
function findUnmatchedLabel(spec: Spec): string | undefined {
  for (const [name, { enum: values = [], 'x-labels': labels = {}, ...field }] of listFields(spec)) {
    const optionKeys = new Set(values.map(getOptionKey))
    const translated = Object.values(field['x-i18n'] ?? {}).map((texts) => texts['x-labels'] ?? {})
    const unmatched = [labels, ...translated]
      .flatMap(Object.keys)
      .find((value) => !optionKeys.has(value))
    if (unmatched !== undefined)
      return `${name}.x-labels contains ${JSON.stringify(unmatched)}, which is not a value of its enum`
  }
  return undefined
}

/**
 * Whether a text becomes a URL when its `${name}` are filled: https (or http, which only an operator can allow), without
 * user, password, fragment and spaces. `${name}` may appear in the host, path and query, or as the whole start. Empty text
 * is valid; surrounding whitespace is ignored.
 */
export function isUrlTemplate(text: string): boolean {
  const template = text.trim()
  if (template === '') return true
  if (/[\s\\#]/.test(template)) return false
  const leadingField = /^\$\{[A-Za-z0-9_.-]+\}(?=[/?]|$)/
  const example = template
    .replace(leadingField, 'https://x')
    .replaceAll(/\$\{[A-Za-z0-9_.-]+\}/g, 'x')
  const url = /^https?:\/\//i.test(example) && !example.includes('${') ? URL.parse(example) : null
  return url !== null && `${url.username}${url.password}` === ''
}

/**
 * Runs SPEC of a bundle in the sandbox and validates the result. Errors name `field`. What a busy machine may have caused is no
 * verdict about the bundle.
 *
 * @param complete adds what the bundle's own spec lacks; a result that is not valid is ignored
 * @throws ApiError `bundle_invalid`
 * @throws RunnerError `integration_timeout`, `integration_failed` after a crash, `overloaded`
 */
export async function loadSpec(
  runner: Runner,
  sha256: string,
  code: Uint8Array,
  tenant: Tenant,
  field: 'bundle' | 'entry' | 'patch' | 'sourceUrl' = 'sourceUrl',
  complete?: (spec: unknown) => unknown,
): Promise<ValidatedSpec> {
  const bundle = { sha256, load: async () => new TextDecoder().decode(code) }
  try {
    const { value } = await runner.run({ bundle, tenant, command: 'SPEC', params: {} })
    const completed = complete === undefined ? 'incomplete' : validateSpec(complete(value))
    const validated = typeof completed === 'string' ? validateSpec(value) : completed
    if (typeof validated === 'string') throw createBundleInvalidError(field, validated)
    const patterns = listPatterns(validated.spec).map((pattern) => ({ pattern }))
    const results = patterns.length === 0 ? [] : await runner.testPatterns(patterns, tenant)
    if (results.includes('invalid'))
      throw createBundleInvalidError(field, 'its spec contains an invalid regular expression.')
    return validated
  } catch (error) {
    if (error instanceof RunnerError && error.code !== 'overloaded' && error.isConclusive)
      throw createBundleInvalidError(field, error.message, error)
    throw error
  }
}

function createBundleInvalidError(field: string, reason: string, cause?: unknown): ApiError {
  const message = `The bundle cannot be used: ${reason}`
  return new ApiError('bundle_invalid', `${field}: ${message}`, {
    errors: fieldError(field, 'bundle_invalid', message),
    cause,
  })
}

/** The version declared in a spec; undefined if it is absent or invalid. */
export function getSpecVersion({ version }: Spec): string | undefined {
  return typeof version === 'string' && /^[\w.+-]{1,50}$/.test(version) ? version : undefined
}

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
  if (!isJsonObject(value)) return { spec: value, isChanged: false }
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
  if (supportedNames === undefined || !isJsonObject(types)) return types
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
  if (!isJsonObject(types)) return { spec, isChanged: isChanged || spec !== value }
  const pairs = Object.entries(types).map(([name, type]) => [name, normalizeType(type)] as const)
  const newTypes = pairs.every(([name, type]) => type === types[name])
    ? types
    : Object.fromEntries(pairs)
  const newInputs = isJsonObject(inputs) ? renameMembers(inputs, LEGACY_TYPE_MEMBERS) : inputs
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
  if (!isJsonObject(value)) return value
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
