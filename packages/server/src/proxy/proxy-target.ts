import { isListed, plainHost, type Spec } from '@linchpin/runner'
import { ApiError } from '../errors.ts'
import { templateFields } from '../oauth/spec/auth-type.ts'
import { TemplateError } from '../oauth/template/template-error.ts'
import { fillTemplate } from '../oauth/template/url-template.ts'

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
 * @param tail path and query behind `/proxy/`, as received
 * @throws ApiError `proxy_unavailable`, `proxy_target_not_allowed`
 */
export function proxyTarget(subject: ProxySubject, tail: string): ProxyTarget {
  const listed = subject.spec['x-hosts'] ?? []
  const base = baseUrl(subject, listed)
  const hosts = base === undefined ? listed : [...listed, plainHost(base.hostname)]
  const allowed: Allowed = { base, listed }
  if (UNSAFE.test(tail)) throw notAllowed(allowed)
  if (/^https?:/i.test(tail)) return { url: absolute(allowed, tail).href, hosts }
  if (base === undefined)
    throw new ApiError(
      'proxy_unavailable',
      'The spec of this integration has no api_base_url, so only a URL of its x-hosts can be called.',
    )
  if (leavesBase(tail)) throw notAllowed(allowed)
  const url = URL.parse(`${base.href.replace(/\/$/, '')}/${tail}`)
  if (url === null || url.origin !== base.origin || hasUser(url)) throw notAllowed(allowed)
  return { url: url.href, hosts }
}

/** Escaped slashes count as slashes: servers that decode before they split would see the dots as segments. */
function leavesBase(tail: string): boolean {
  const path = tail.replace(/\?.*$/s, '')
  let depth = 0
  for (const segment of path.split(/\/|%2f|%5c/i)) {
    const plain = segment.replace(/%2e/gi, '.')
    if (plain === '..') depth -= 1
    else if (plain !== '' && plain !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

interface Allowed {
  readonly base: URL | undefined
  readonly listed: readonly string[]
}

/** What URL parsers read differently from one another: backslashes, fragments, spaces and controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is sought
const UNSAFE = /[\\#\u0000-\u0020\u007f]/

function baseUrl(
  { spec, authType, config }: ProxySubject,
  listed: readonly string[],
): URL | undefined {
  const auth = Object.hasOwn(spec.auth_specification, authType)
    ? spec.auth_specification[authType]
    : undefined
  const template = [auth, spec].map(templateOf).find((text) => text !== undefined)
  if (template === undefined) return undefined
  const fields = templateFields(spec, authType)
  const fact = startingFact(spec, authType, template)
  try {
    const known = fact === undefined ? fields : { ...fields, url: new Set([fact]) }
    const url = new URL(fillTemplate(template, config, known))
    if (fact !== undefined && !(url.port === '' && isListed(plainHost(url.hostname), listed)))
      throw new TemplateError(fact, 'leads to a host that is not on x-hosts')
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
function startingFact(spec: Spec, authType: string, template: string): string | undefined {
  const name = /^\$\{([A-Za-z0-9_.-]+)\}/.exec(template)?.[1]
  if (name === undefined || (spec['x-hosts'] ?? []).length === 0) return undefined
  const { input_specification: own, callback_params: fromBrowser } =
    spec.auth_specification[authType] ?? {}
  const fields = { ...spec.other_inputs?.input_specification?.properties, ...own?.properties }
  const isKnown = Object.hasOwn(fields, name) || [fromBrowser].flat().includes(name)
  return isKnown ? undefined : name
}

function templateOf(place: object | undefined): string | undefined {
  const value = (place as Record<string, unknown> | undefined)?.api_base_url
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function absolute(allowed: Allowed, tail: string): URL {
  const { base, listed } = allowed
  const authority = /^https?:\/\/([^/?]+)/i.exec(tail)?.[1]
  const url = authority === undefined ? null : URL.parse(tail)
  // A host that the parser rewrites (numbers, other alphabets, escapes) is not the host that was written.
  const isPlain = url?.host === authority?.toLowerCase().replace(/:(?:443|80)$/, portOf(url))
  if (url === null || hasUser(url) || !isPlain) throw notAllowed(allowed)
  if (url.origin === base?.origin) return url
  if (url.port === '' && isListed(plainHost(url.hostname), listed)) return url
  throw notAllowed(allowed)
}

/** A default port is left out by the parser. */
function portOf(url: URL | null): string {
  return url === null || url.port === '' ? '' : `:${url.port}`
}

function hasUser(url: URL): boolean {
  return url.username !== '' || url.password !== ''
}

function notAllowed({ base, listed }: Allowed): ApiError {
  const places = [...(base === undefined ? [] : [base.origin]), ...listed]
  const named =
    places.length === 0 ? 'The spec names no place.' : `Allowed are ${places.join(', ')}.`
  return new ApiError('proxy_target_not_allowed', `This path cannot be called. ${named}`)
}
