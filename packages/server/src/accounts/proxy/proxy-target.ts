import { isListed, normalizeHost, type Spec } from '@linchpin/runner'
import { getTemplateFields } from '../../integrations/oauth/spec/parse-oauth-type.ts'
import {
  encodePathValue,
  fillUrlTemplate,
  requireTemplateValue,
  TemplateError,
} from '../../integrations/oauth/template.ts'
import { ApiError } from '../../platform/errors.ts'
import { listFacts } from '../accounts/credentials/account-config.ts'

/** The account whose API is called. */
export interface ProxyTargetParams {
  readonly spec: Spec
  readonly authType: string
  /** Fills `${name}` in `api_base_url`. */
  readonly config: Readonly<Record<string, unknown>>
  /** The server to whose origin alone its tokens are sent; null: the spec says where they are sent. */
  readonly resource?: string | null
}

/** The URL of a request, and the hosts that the egress gateway allows for it. */
export interface ProxyTarget {
  /** Normalized. */
  readonly url: string
  /** Path and query of the URL as they are sent: with the caller's own spelling. */
  readonly requestTarget: string
  readonly hosts: readonly string[]
}

/**
 * Resolves the path after `/proxy/` to a URL. A relative path is appended to `api_base_url` unchanged, except that dot
 * segments are resolved: `URL` would also escape characters such as `'` and `|`. It cannot change the origin or leave the path of the base. An absolute URL must have the origin
 * of `api_base_url`, or be https (or http, if the egress gateway allows it) to a host of `x-hosts`. With a `resource`, its origin is
 * the only one, whatever the spec and the configuration say.
 *
 * `${name}` of a fact of the account stands for its value: a part of the path, or the start of an absolute URL.
 *
 * @param received path and query after `/proxy/`
 * @throws ApiError `proxy_unavailable`, `proxy_target_not_allowed`
 */
export function proxyTarget(subject: ProxyTargetParams, received: string): ProxyTarget {
  const pathAndQuery = fillFacts(subject, received)
  const { base, allowedHosts } = resolveAllowedTargets(subject)
  const hosts = base === undefined ? allowedHosts : [...allowedHosts, normalizeHost(base.hostname)]
  const allowed: AllowedTargets = { base, allowedHosts }
  if (UNSAFE_CHARACTERS.test(pathAndQuery)) throw createTargetNotAllowedError(allowed)
  if (/^https?:/i.test(pathAndQuery)) {
    const url = parseAbsoluteTarget(allowed, pathAndQuery)
    const [, rest = ''] = /^https?:\/\/[^/?]+(.*)$/is.exec(pathAndQuery) ?? []
    return createTarget(url, rest.startsWith('/') ? rest : `/${rest}`, hosts, allowed)
  }
  if (base === undefined)
    throw new ApiError(
      'proxy_unavailable',
      'The spec of this integration has no api_base_url. Call an absolute URL of a host in its x-hosts.',
    )
  if (isOutsideBase(pathAndQuery)) throw createTargetNotAllowedError(allowed)
  const basePath = base.pathname.replace(/\/$/, '')
  const url = URL.parse(`${base.origin}${basePath}/${pathAndQuery}`)
  if (url === null || url.origin !== base.origin || hasCredentials(url))
    throw createTargetNotAllowedError(allowed)
  return createTarget(url, `${basePath}/${pathAndQuery}`, hosts, allowed)
}

/** @throws ApiError `proxy_unavailable`, `proxy_target_not_allowed` */
function resolveAllowedTargets(subject: ProxyTargetParams): AllowedTargets {
  const specHosts = subject.spec['x-hosts'] ?? []
  const base = resolveBaseUrl(subject, specHosts)
  if (subject.resource == null) return { base, allowedHosts: specHosts }
  const server = new URL(subject.resource)
  if (base !== undefined && base.origin !== server.origin)
    throw createTargetNotAllowedError({ base: server, allowedHosts: [] })
  return { base: base ?? server, allowedHosts: [] }
}

/** Fills facts in, and nothing else: a caller cannot see secrets, so none may get into a URL. */
function fillFacts({ spec, authType, config }: ProxyTargetParams, received: string): string {
  const names = listFacts(spec, authType).map(({ name }) => name)
  if (names.length === 0 || !/\$(?:\{|%7b)/i.test(received)) return received
  return received.replace(
    /\$(?:\{|%7b)([A-Za-z0-9_.-]+)(?:\}|%7d)/gi,
    (text, name: string, at: number) => {
      if (!names.includes(name)) return text
      try {
        const value = requireTemplateValue(config, name, 'url')
        return at === 0 && /^https:\/\//i.test(value) ? value : encodePathValue(value, name)
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error
        throw new ApiError('proxy_unavailable', error.message, { cause: error })
      }
    },
  )
}

/** The target whose URL was validated, in the caller's spelling. @throws ApiError if the two differ in more than that */
function createTarget(
  url: URL,
  pathAndQuery: string,
  hosts: readonly string[],
  allowed: AllowedTargets,
): ProxyTarget {
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(pathAndQuery) ?? []
  const requestTarget = `${resolveDotSegments(path)}${query}`
  if (URL.parse(`${url.origin}${requestTarget}`)?.href !== url.href)
    throw createTargetNotAllowedError(allowed)
  return { url: url.href, requestTarget, hosts }
}

/** As `URL` does, which leaves a slash for a dot segment at the end. */
function resolveDotSegments(path: string): string {
  const segments: string[] = []
  const all = path.split('/').slice(1)
  for (const [index, segment] of all.entries()) {
    const dots = segment.replace(/%2e/gi, '.')
    const isDotSegment = dots === '.' || dots === '..'
    if (dots === '..') segments.pop()
    if (!isDotSegment) segments.push(segment)
    else if (index === all.length - 1) segments.push('')
  }
  return `/${segments.join('/')}`
}

/** Encoded slashes count as slashes: servers that decode before they split would treat the dots as segments. */
function isOutsideBase(pathAndQuery: string): boolean {
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

/** Characters that URL parsers interpret differently: backslashes, fragments, spaces and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be rejected
const UNSAFE_CHARACTERS = /[\\#\u0000-\u0020\u007f]/

function resolveBaseUrl(
  { spec, authType, config }: ProxyTargetParams,
  allowedHosts: readonly string[],
): URL | undefined {
  const template = findBaseUrlTemplate(spec, authType)
  if (template === undefined) return undefined
  const fields = getTemplateFields(spec, authType)
  const leadingField = findLeadingTokenField(spec, authType, template)
  try {
    const allowedFields =
      leadingField === undefined ? fields : { ...fields, url: new Set([leadingField]) }
    const url = new URL(fillUrlTemplate(template, config, allowedFields))
    if (
      leadingField !== undefined &&
      !(url.port === '' && isListed(normalizeHost(url.hostname), allowedHosts))
    )
      throw new TemplateError(leadingField, 'resolves to a host that is not in x-hosts')
    if (url.search === '') return url
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new ApiError('proxy_unavailable', `api_base_url: ${error.message}`, { cause: error })
  }
  throw new ApiError('proxy_unavailable', 'api_base_url must not contain a query string.')
}

/**
 * The name at the start of a template if it is not a declared field: a value of the token response, such as
 * `instance_url`. The spec does not constrain it, so it is used only if the spec has `x-hosts`.
 */
function findLeadingTokenField(spec: Spec, authType: string, template: string): string | undefined {
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

/** `api_base_url` of the auth type, otherwise of the spec; undefined if both have none. */
export function findBaseUrlTemplate(spec: Spec, authType: string): string | undefined {
  const auth = Object.hasOwn(spec.auth_specification, authType)
    ? spec.auth_specification[authType]
    : undefined
  return getBaseUrlTemplate(auth) ?? getBaseUrlTemplate(spec)
}

function getBaseUrlTemplate(section: object | undefined): string | undefined {
  const value = (section as Record<string, unknown> | undefined)?.api_base_url
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function parseAbsoluteTarget(allowed: AllowedTargets, pathAndQuery: string): URL {
  const { base, allowedHosts } = allowed
  const authority = /^https?:\/\/([^/?]+)/i.exec(pathAndQuery)?.[1]
  const url = authority === undefined ? null : URL.parse(pathAndQuery)
  // If the parser rewrites the host (numbers, other alphabets, escapes), it is not the host that the caller sent.
  const isUnchanged =
    url?.host === authority?.toLowerCase().replace(/:(?:443|80)$/, getExplicitPort(url))
  if (url === null || hasCredentials(url) || !isUnchanged)
    throw createTargetNotAllowedError(allowed)
  if (url.origin === base?.origin) return url
  if (url.port === '' && isListed(normalizeHost(url.hostname), allowedHosts)) return url
  throw createTargetNotAllowedError(allowed)
}

/** URL omits a default port. */
function getExplicitPort(url: URL | null): string {
  return url === null || url.port === '' ? '' : `:${url.port}`
}

function hasCredentials(url: URL): boolean {
  return url.username !== '' || url.password !== ''
}

function createTargetNotAllowedError({ base, allowedHosts }: AllowedTargets): ApiError {
  const targets = [...(base === undefined ? [] : [base.origin]), ...allowedHosts]
  const hint = targets.length === 0 ? 'The spec allows no host.' : `Allowed: ${targets.join(', ')}.`
  return new ApiError('proxy_target_not_allowed', `This URL is not allowed. ${hint}`)
}
