import { isListed, normalizeHost } from '@linchpin/runner'

/** The values for `${name}` placeholders: the config of an account. */
export type TemplateValues = Readonly<Record<string, unknown>>

/** Where a value is used. Each use has limits of its own. */
export type TemplateUse = 'url' | 'parameter' | 'header'

/**
 * The most characters of a value in a URL, of one in a parameter of a query, form or JSON body, and of a whole header.
 * RFC 6749 section 5.1 leaves the size of tokens undefined: those that Linchpin stores have at most 16,384 characters.
 */
export const MAX_VALUE_LENGTHS: Readonly<Record<TemplateUse, number>> = {
  url: 2_048,
  parameter: 16_384,
  header: 32_768,
}

/**
 * The value of one field as text that this use can carry. Converts numbers and booleans.
 *
 * @throws TemplateError if it is missing, empty, not plain text or too long: each with a sentence of its own
 */
export function requireTemplateValue(
  values: TemplateValues,
  field: string,
  use: TemplateUse,
): string {
  const value = Object.hasOwn(values, field) ? values[field] : undefined
  if (value === undefined || value === null || value === '') {
    throw new TemplateError(field, 'is required', 'missing')
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new TemplateError(field, 'must be a string, a number or a boolean')
  }
  const text = use === 'header' ? trimHeaderValue(String(value)) : String(value)
  const problem = use === 'header' ? findHeaderProblem(text) : findTextProblem(text, use)
  if (problem !== undefined) throw new TemplateError(field, problem)
  return text
}

function findTextProblem(text: string, use: 'url' | 'parameter'): string | undefined {
  const maxLength = MAX_VALUE_LENGTHS[use]
  if (text.length > maxLength)
    return use === 'url'
      ? `is too long for a URL: at most ${maxLength} characters`
      : `is too long for a parameter: at most ${maxLength} characters`
  return /\p{Cc}/u.test(text) || !text.isWellFormed()
    ? 'contains control characters or half of a surrogate pair'
    : undefined
}

/** Why a header cannot have this value (RFC 9110 section 5.5), to follow its name; undefined if it can. */
export function findHeaderProblem(text: string): string | undefined {
  if (text.length > MAX_VALUE_LENGTHS.header)
    return `is too long for a header: at most ${MAX_VALUE_LENGTHS.header} characters`
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
    ? undefined
    : "contains characters that a header can't carry: only Latin-1 without line breaks and control characters"
}

/**
 * Replaces each `${name}` in a parameter of a spec. Does not encode: the form, JSON or query serializer does that.
 *
 * @throws TemplateError
 */
export function fillPlaceholders(template: string, values: TemplateValues): string {
  return fill(template, values, 'parameter')
}

/**
 * Replaces each `${name}` in a header of a spec.
 *
 * @throws TemplateError if a value is missing, or the header could not be sent
 */
export function fillHeaderTemplate(template: string, values: TemplateValues): string {
  const filled = trimHeaderValue(fill(template, values, 'header'))
  const problem = findHeaderProblem(filled)
  if (problem === undefined) return filled
  throw new TemplateError([...template.matchAll(PLACEHOLDER)][0]?.[1], problem)
}

/**
 * Removes the whitespace around a header's value, as `fetch` does (Fetch, "normalize" a byte sequence): a bundle's CHECK
 * must not accept what cannot be sent later.
 */
export function trimHeaderValue(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && WHITESPACE.has(text[start] ?? '')) start += 1
  while (end > start && WHITESPACE.has(text[end - 1] ?? '')) end -= 1
  return text.slice(start, end)
}

const WHITESPACE: ReadonlySet<string> = new Set(['\t', '\n', '\r', ' '])

function fill(template: string, values: TemplateValues, use: TemplateUse): string {
  return template.replace(PLACEHOLDER, (_match, field: string) =>
    requireTemplateValue(values, field, use),
  )
}

/** Fills missing, null and empty values with the spec's defaults. */
export function withDefaults(
  values: TemplateValues,
  defaults: TemplateValues = {},
): TemplateValues {
  const hasValue = ([, value]: readonly [string, unknown]) => value != null && value !== ''
  return { ...defaults, ...Object.fromEntries(Object.entries(values).filter(hasValue)) }
}

/** Matches `${name}` in a template. */
export const PLACEHOLDER = /\$\{([A-Za-z0-9_.-]+)\}/g

/**
 * A `${name}` that the config cannot fill, or an invalid template. `field` names the config field; undefined means that
 * the template itself is invalid. The message never contains a value.
 */
export class TemplateError extends Error {
  readonly field: string | undefined
  /** Whether the config has no value, so that another one, such as the token response, may still provide it. */
  readonly isMissing: boolean

  /** The message without its period. */
  readonly problem: string

  /** Whether the spec would have to constrain the field, whatever its value. */
  readonly isUnconstrained: boolean

  constructor(
    field: string | undefined,
    problem: string,
    kind: 'missing' | 'invalid' | 'unconstrained' = 'invalid',
  ) {
    const sentence = `${field ?? 'The spec'} ${problem}`
    super(`${sentence}.`)
    this.name = 'TemplateError'
    this.field = field
    this.problem = sentence
    this.isMissing = kind === 'missing'
    this.isUnconstrained = kind === 'unconstrained'
  }
}

/** The fields that may determine the target of a request, because the spec limits their values. */
export interface TemplateFields {
  /** Fields that may appear inside the host. */
  readonly host: ReadonlySet<string>
  /** Fields that may be the start of a URL, as in `${base_url}/oauth/token`. */
  readonly url: ReadonlySet<string>
  /** Values for fields that are missing or empty. */
  readonly defaults?: TemplateValues
  /** Parameters of the callback that may determine the target, too. */
  readonly callback?: CallbackValues | undefined
}

/**
 * Parameters of the callback that no field constrains. An attacker who sends a browser to the callback chooses their values (RFC
 * 9700 section 4.4), so that they lead only to hosts of the spec, with the scheme and port of its authorization endpoint.
 */
export interface CallbackValues {
  readonly names: ReadonlySet<string>
  /** `x-hosts`. */
  readonly hosts: readonly string[]
  /** Scheme and authority of the authorization endpoint; what a URL starts with if the callback did not say. */
  readonly authorizationOrigin: string | undefined
}

/**
 * Fills `${name}` in a URL of a spec and returns the normalized URL.
 *
 * Values are percent-encoded and cannot leave their path segment or query. A value never becomes the scheme, user,
 * password or fragment. Inside the host, fields of `fields.host` may contain hostname characters, and a port if the
 * template's host ends there without one. Any other field may only start one label below a fixed domain. At the start of
 * the URL only `fields.url` are allowed, with an http(s) URL without user, password, query and fragment. The egress
 * gateway rejects plain http. The caller must have validated the values against the patterns of the spec. Both places may also
 * have `fields.callback`, which are validated here.
 *
 * @throws TemplateError
 */
export function fillUrlTemplate(
  template: string,
  inputValues: TemplateValues,
  fields: TemplateFields,
): string {
  const values = withDefaults(inputValues, fields.defaults)
  const { base, remainder } = template.startsWith('${')
    ? resolveUrlFieldBase(template, values, fields)
    : resolveHostBase(template, values, fields)
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(remainder) ?? []
  if (/[\s\\#]/.test(remainder)) throw new TemplateError(undefined, INVALID_URL)
  const filled = base + fillPath(path, values) + replacePlaceholders(query, values, encodePercent)
  if (filled.length > MAX_URL_LENGTH)
    throw new TemplateError(
      undefined,
      `contains a URL that has more than ${MAX_URL_LENGTH} characters when it is filled in`,
    )
  const url = URL.parse(filled)
  // Defense in depth: the parsed URL must still have the origin that was validated.
  if (!url || url.origin !== URL.parse(base)?.origin || url.username !== '' || url.hash !== '') {
    throw new TemplateError(undefined, INVALID_URL)
  }
  return url.href
}

interface TemplateParts {
  /** Scheme and authority, or the whole base URL. */
  readonly base: string
  readonly remainder: string
}

const MAX_URL_LENGTH = 8_192
const INVALID_URL = 'contains an invalid URL'

/** Splits a template such as `https://${shop}.example.com:8443/path` and fills its host. */
function resolveHostBase(
  template: string,
  values: TemplateValues,
  fields: TemplateFields,
): TemplateParts {
  const [, scheme, host, port = '', remainder = ''] =
    /^(https?:\/\/)([^/?#\\@\s]*?)(:\d+)?((?:[/?#\\].*)?)$/is.exec(template) ?? []
  if (scheme === undefined || !host) throw new TemplateError(undefined, INVALID_URL)
  const { callback } = fields
  const filled = replacePlaceholders(host, values, (value, field) =>
    fields.host.has(field) || callback?.names.has(field)
      ? checkHostValue(value, field, fields.host.has(field) ? port : NO_PORT)
      : checkHostLabel(value, field, host),
  )
  const base = `${scheme}${filled}${port}`
  const parsed = URL.parse(base)
  const hasPlaceholder = filled !== host
  // If the parser rewrites the host (numbers, other alphabets), it is not the host that the pattern matched.
  const name = filled.toLowerCase().replace(/:\d+$/, '')
  if (!parsed || (hasPlaceholder && parsed.hostname !== name)) {
    throw new TemplateError(
      hasPlaceholder ? listPlaceholderNames(host)[0] : undefined,
      'does not produce a valid host name',
    )
  }
  const fromCallback = listPlaceholderNames(host).find((name) => callback?.names.has(name))
  if (callback !== undefined && fromCallback !== undefined)
    requireListed(parsed, fromCallback, callback)
  return { base, remainder }
}

/** Any port that is not empty: the value itself cannot have one. */
const NO_PORT = ':'

function requireListed({ hostname }: URL, field: string, { hosts }: CallbackValues): void {
  if (!isListed(normalizeHost(hostname), hosts))
    throw new TemplateError(field, 'leads to a host that x-hosts does not list')
}

function checkHostValue(value: string, field: string, port: string): string {
  const name = port === '' ? value.replace(/:\d{1,5}$/, '') : value
  if (!/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(name) || name.includes('..')) {
    throw new TemplateError(field, 'must be a host name')
  }
  return value
}

/** A field without a pattern may only be, or start, one label below a fixed domain. */
function checkHostLabel(value: string, field: string, host: string): string {
  const [, suffix = ''] = host.split(`\${${field}}`)
  const isFixedSuffix = /^[a-z0-9-]*(?:\.[a-z0-9-]+){2,}$/i.test(suffix) && !isPublicSuffix(suffix)
  const startsLabel = new RegExp(`(?:^|\\.)\\$\\{${field.replaceAll('.', '\\.')}\\}`).test(host)
  if (!isFixedSuffix || !startsLabel) {
    throw new TemplateError(
      field,
      'is used in a host name, but the spec defines no pattern for it',
      'unconstrained',
    )
  }
  if (!/^[a-z0-9-]{1,63}$/i.test(value) || value.startsWith('-')) {
    throw new TemplateError(field, 'must be a single label of a host name')
  }
  return value
}

/** Whether a domain is a public suffix such as `.co.uk`, below which anyone can register names. */
function isPublicSuffix(domain: string): boolean {
  return /^[a-z0-9-]*\.(?:ac|co|com|edu|gov|ne|net|or|org)\.[a-z]{2}$/i.test(domain)
}

/** Splits a template that starts with `${base_url}` and fills that field. */
function resolveUrlFieldBase(
  template: string,
  values: TemplateValues,
  fields: TemplateFields,
): TemplateParts {
  const [, field, remainder = ''] = /^\$\{([A-Za-z0-9_.-]+)\}((?:[/?].*)?)$/s.exec(template) ?? []
  if (field === undefined) throw new TemplateError(undefined, INVALID_URL)
  if (fields.callback?.names.has(field))
    return { base: resolveCallbackBase(field, values, fields, fields.callback), remainder }
  if (!fields.url.has(field)) {
    throw new TemplateError(
      field,
      'is used at the start of a URL, but the spec defines no pattern or format for it',
      'unconstrained',
    )
  }
  const value = requireTemplateValue(values, field, 'url')
  const url = /^https?:\/\/[^\s\\?#@]+$/i.test(value) ? URL.parse(value) : null
  if (url === null || `${url.username}${url.password}` !== '' || hasDotSegment(value)) {
    throw new TemplateError(field, 'must be an https URL without user, query and fragment')
  }
  return { base: url.href.replace(/\/$/, ''), remainder }
}

/** The origin that the callback named. Without one the code comes from where the authorization request went. */
function resolveCallbackBase(
  field: string,
  values: TemplateValues,
  fields: TemplateFields,
  callback: CallbackValues,
): string {
  const { authorizationOrigin: template } = callback
  if (values[field] === undefined && template !== undefined) {
    const { base } = resolveHostBase(template, values, fields)
    if (isListed(normalizeHost(new URL(base).hostname), callback.hosts)) return base
  }
  const value = requireTemplateValue(values, field, 'url')
  const url = /^https?:\/\/[a-z0-9.-]+(?::\d+)?\/?$/i.test(value) ? URL.parse(value) : null
  if (url === null || url.origin !== getCallbackOrigin(url.hostname, callback))
    throw new TemplateError(
      field,
      'must be an https URL of a host alone, with the port of the authorization URL',
    )
  requireListed(url, field, callback)
  return url.origin
}

/** The origin of a host that the callback names: the scheme and port are those of the authorization endpoint. */
export function getCallbackOrigin(
  host: string,
  { authorizationOrigin = '' }: CallbackValues,
): string {
  const fixed = authorizationOrigin.replace(PLACEHOLDER, '')
  const [, scheme = 'https:', port = ''] = /^(https?:)\/\/[^:]*(:\d+)?$/i.exec(fixed) ?? []
  return new URL(`${scheme}//${host}${port}`).origin
}

function fillPath(path: string, values: TemplateValues): string {
  return path
    .split('/')
    .map((segment) => {
      const filled = replacePlaceholders(segment, values, encodePathValue)
      if (filled !== segment && isDotSegment(filled)) {
        throw new TemplateError(listPlaceholderNames(segment)[0], 'must not be a dot segment')
      }
      return filled
    })
    .join('/')
}

/**
 * A value inside a path, percent-encoded. Rejects encoded dots too: servers that decode before they split would treat them
 * as dot segments.
 *
 * @throws TemplateError
 */
export function encodePathValue(value: string, field: string): string {
  if (hasDotSegment(value)) throw new TemplateError(field, 'must not be a dot segment')
  return encodePercent(value)
}

function hasDotSegment(text: string): boolean {
  return text.split(/[/\\]|%2f|%5c/i).some(isDotSegment)
}

function isDotSegment(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment)
}

function encodePercent(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function replacePlaceholders(
  text: string,
  values: TemplateValues,
  encodeValue: (value: string, field: string) => string,
): string {
  const filled = text.replace(PLACEHOLDER, (_match, field: string) =>
    encodeValue(requireTemplateValue(values, field, 'url'), field),
  )
  // Encoded values contain no braces, so a remaining `${` comes from the template.
  if (filled.includes('${')) throw new TemplateError(undefined, 'contains an invalid placeholder')
  return filled
}

function listPlaceholderNames(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap(([, field]) => field ?? [])
}
