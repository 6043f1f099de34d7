import {
  PLACEHOLDER,
  requireTemplateValue,
  TemplateError,
  type TemplateValues,
  withDefaults,
} from './template-value.ts'

/** The fields that may determine the target of a request, because the spec limits their values. */
export interface TemplateFields {
  /** Fields that may appear inside the host. */
  readonly host: ReadonlySet<string>
  /** Fields that may be the start of a URL, as in `${base_url}/oauth/token`. */
  readonly url: ReadonlySet<string>
  /** Values for fields that are missing or empty. */
  readonly defaults?: TemplateValues
}

/**
 * Fills `${name}` in a URL of a spec and returns the normalized URL.
 *
 * Values are percent-encoded and cannot leave their path segment or query. A value never becomes the scheme, user,
 * password or fragment. Inside the host, fields of `fields.host` may contain hostname characters, and a port if the
 * template's host ends there without one. Any other field may only start one label below a fixed domain. At the start of
 * the URL only `fields.url` are allowed, with an http(s) URL without user, password, query and fragment. The egress
 * gateway rejects plain http. The caller must have validated the values against the patterns of the spec.
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
  const filled = replacePlaceholders(host, values, (value, field) =>
    fields.host.has(field)
      ? checkHostValue(value, field, port)
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
  return { base, remainder }
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

/** Rejects encoded dots too: servers that decode before they split would treat them as dot segments. */
function encodePathValue(value: string, field: string): string {
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
