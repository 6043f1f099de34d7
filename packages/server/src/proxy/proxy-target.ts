import { isListed, normalizeHost, type Spec } from '@linchpin/runner'
import { ApiError } from '../errors.ts'
import { getTemplateFields } from '../oauth/spec/parse-oauth-type.ts'
import { TemplateError } from '../oauth/template/template-value.ts'
import { fillUrlTemplate } from '../oauth/template/url-template.ts'

/** Whose API is called. */
export interface ProxySubject {
  readonly spec: Spec
  readonly authType: string
  /** Fills `${name}` of `api_base_url`. */
  readonly config: Readonly<Record<string, unknown>>
}

/** Where a request goes, and the hosts that the gate holds it to. */
export interface ProxyTarget {
  readonly url: string
  readonly hosts: readonly string[]
}

/**
 * The URL that the path behind `/proxy/` means. A path goes below the spec's `api_base_url`, as it came: only dot
 * segments are resolved, and nothing in it changes the origin or leaves the path of the base. A URL must have the origin of `api_base_url`, or be
 * https (or http, which the gate judges) to a host of the spec's `x-hosts`.
 *
 * @param pathAndQuery path and query behind `/proxy/`, as received
 * @throws ApiError `proxy_unavailable`, `proxy_target_not_allowed`
 */
export function proxyTarget(subject: ProxySubject, pathAndQuery: string): ProxyTarget {
  const allowedHosts = subject.spec['x-hosts'] ?? []
  const base = resolveBaseUrl(subject, allowedHosts)
  const hosts = base === undefined ? allowedHosts : [...allowedHosts, normalizeHost(base.hostname)]
  const allowed: AllowedTargets = { base, allowedHosts }
  if (UNSAFE_CHARACTERS.test(pathAndQuery)) throw targetNotAllowed(allowed)
  if (/^https?:/i.test(pathAndQuery))
    return { url: parseAbsoluteTarget(allowed, pathAndQuery).href, hosts }
  if (base === undefined)
    throw new ApiError(
      'proxy_unavailable',
      'The spec of this integration has no api_base_url, so only a URL of its x-hosts can be called.',
    )
  if (escapesBase(pathAndQuery)) throw targetNotAllowed(allowed)
  const url = URL.parse(`${base.href.replace(/\/$/, '')}/${pathAndQuery}`)
  if (url === null || url.origin !== base.origin || hasCredentials(url))
    throw targetNotAllowed(allowed)
  return { url: url.href, hosts }
}

/** Escaped slashes count as slashes: servers that decode before they split would see the dots as segments. */
function escapesBase(pathAndQuery: string): boolean {
  const path = pathAndQuery.replace(/\?.*$/s, '')
  let depth = 0
  for (const segment of path.split(/\/|%2f|%5c/i)) {
    const decodedSegment = segment.replace(/%2e/gi, '.')
    if (decodedSegment === '..') depth -= 1
    else if (decodedSegment !== '' && decodedSegment !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

interface AllowedTargets {
  readonly base: URL | undefined
  readonly allowedHosts: readonly string[]
}

/** What URL parsers read differently from one another: backslashes, fragments, spaces and controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is sought
const UNSAFE_CHARACTERS = /[\\#\u0000-\u0020\u007f]/

function resolveBaseUrl(
  { spec, authType, config }: ProxySubject,
  allowedHosts: readonly string[],
): URL | undefined {
  const auth = Object.hasOwn(spec.auth_specification, authType)
    ? spec.auth_specification[authType]
    : undefined
  const template = [auth, spec].map(baseUrlTemplate).find((text) => text !== undefined)
  if (template === undefined) return undefined
  const fields = getTemplateFields(spec, authType)
  const leadingField = leadingTokenField(spec, authType, template)
  try {
    const allowedFields =
      leadingField === undefined ? fields : { ...fields, url: new Set([leadingField]) }
    const url = new URL(fillUrlTemplate(template, config, allowedFields))
    if (
      leadingField !== undefined &&
      !(url.port === '' && isListed(normalizeHost(url.hostname), allowedHosts))
    )
      throw new TemplateError(leadingField, 'leads to a host that is not on x-hosts')
    if (url.search === '') return url
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new ApiError('proxy_unavailable', `api_base_url: ${error.message}`, { cause: error })
  }
  throw new ApiError('proxy_unavailable', 'api_base_url: The spec has a query there.')
}

/**
 * The name at the start of a template when it is no field: a fact of the token answer, such as `instance_url`. Nothing
 * of the spec limits it, so it counts only where `x-hosts` say which hosts there are.
 */
function leadingTokenField(spec: Spec, authType: string, template: string): string | undefined {
  const name = /^\$\{([A-Za-z0-9_.-]+)\}/.exec(template)?.[1]
  if (name === undefined || (spec['x-hosts'] ?? []).length === 0) return undefined
  const { input_specification: inputSpecification, callback_params: callbackParams } =
    spec.auth_specification[authType] ?? {}
  const fields = {
    ...spec.other_inputs?.input_specification?.properties,
    ...inputSpecification?.properties,
  }
  const isKnown = Object.hasOwn(fields, name) || [callbackParams].flat().includes(name)
  return isKnown ? undefined : name
}

function baseUrlTemplate(section: object | undefined): string | undefined {
  const value = (section as Record<string, unknown> | undefined)?.api_base_url
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function parseAbsoluteTarget(allowed: AllowedTargets, pathAndQuery: string): URL {
  const { base, allowedHosts } = allowed
  const authority = /^https?:\/\/([^/?]+)/i.exec(pathAndQuery)?.[1]
  const url = authority === undefined ? null : URL.parse(pathAndQuery)
  // A host that the parser rewrites (numbers, other alphabets, escapes) is not the host that was written.
  const isUnchanged =
    url?.host === authority?.toLowerCase().replace(/:(?:443|80)$/, explicitPort(url))
  if (url === null || hasCredentials(url) || !isUnchanged) throw targetNotAllowed(allowed)
  if (url.origin === base?.origin) return url
  if (url.port === '' && isListed(normalizeHost(url.hostname), allowedHosts)) return url
  throw targetNotAllowed(allowed)
}

/** A default port is left out by the parser. */
function explicitPort(url: URL | null): string {
  return url === null || url.port === '' ? '' : `:${url.port}`
}

function hasCredentials(url: URL): boolean {
  return url.username !== '' || url.password !== ''
}

function targetNotAllowed({ base, allowedHosts }: AllowedTargets): ApiError {
  const targets = [...(base === undefined ? [] : [base.origin]), ...allowedHosts]
  const hint =
    targets.length === 0 ? 'The spec names no place.' : `Allowed are ${targets.join(', ')}.`
  return new ApiError('proxy_target_not_allowed', `This path cannot be called. ${hint}`)
}
