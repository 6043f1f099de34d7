import { TemplateError } from './template-error.ts'
import {
  PLACEHOLDER,
  requireTemplateValue,
  type TemplateValues,
  withDefaults,
} from './template-value.ts'

/** Which fields of a spec may say where a request goes, because the spec itself limits their values. */
export interface TemplateFields {
  /** Fields that may stand inside the host. */
  readonly host: ReadonlySet<string>
  /** Fields that may be the whole start of a URL, as in `${base_url}/oauth/token`. */
  readonly url: ReadonlySet<string>
  /** What fields are when nothing was given. */
  readonly defaults?: TemplateValues
}

/**
 * Fills `${name}` in a URL of a spec and answers the URL in its normal form.
 *
 * Rules: a value is percent-encoded for its path segment or query and cannot leave it. It never becomes scheme, user,
 * password or fragment. Inside the host `fields.host` count, with hostname characters, and a port where the template
 * ends its host there and has none. Any other field may only begin one label below a fixed domain; at the very start
 * only `fields.url`, with an http(s) URL that has no user, password, query or fragment. Plain http is for the gate to
 * refuse. The values must have been judged by the spec's patterns before.
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
  if (/[\s\\#]/.test(remainder)) throw new TemplateError(undefined, 'has a URL that is not one')
  const filled = base + fillPath(path, values) + replacePlaceholders(query, values, percentEncode)
  if (filled.length > MAX_URL_LENGTH)
    throw new TemplateError(undefined, 'makes a URL that is too long')
  const url = URL.parse(filled)
  // Belt and braces: whatever the parser made of it, it must still go to the place that was judged.
  if (!url || url.origin !== URL.parse(base)?.origin || url.username !== '' || url.hash !== '') {
    throw new TemplateError(undefined, 'has a URL that is not one')
  }
  return url.href
}

interface TemplateParts {
  /** Scheme and authority, or the whole base URL. */
  readonly base: string
  readonly remainder: string
}

const MAX_URL_LENGTH = 8_192

/** `https://${shop}.example.com:8443` and what follows it. */
function resolveHostBase(
  template: string,
  values: TemplateValues,
  fields: TemplateFields,
): TemplateParts {
  const [, scheme, host, port = '', remainder = ''] =
    /^(https?:\/\/)([^/?#\\@\s]*?)(:\d+)?((?:[/?#\\].*)?)$/is.exec(template) ?? []
  if (scheme === undefined || !host) throw new TemplateError(undefined, 'has a URL that is not one')
  const filled = replacePlaceholders(host, values, (value, field) =>
    fields.host.has(field)
      ? checkHostValue(value, field, port)
      : checkHostLabel(value, field, host),
  )
  const base = `${scheme}${filled}${port}`
  const parsed = URL.parse(base)
  const hasPlaceholder = filled !== host
  // A host that the parser rewrites (numbers, other alphabets) is not the host that the pattern judged.
  const name = filled.toLowerCase().replace(/:\d+$/, '')
  if (!parsed || (hasPlaceholder && parsed.hostname !== name)) {
    throw new TemplateError(
      hasPlaceholder ? placeholderNames(host)[0] : undefined,
      'does not make a host name',
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

/** Without a pattern of the spec a value is one label, or begins one, below a domain that it cannot leave. */
function checkHostLabel(value: string, field: string, host: string): string {
  const [, suffix = ''] = host.split(`\${${field}}`)
  const isFixedSuffix = /^[a-z0-9-]*(?:\.[a-z0-9-]+){2,}$/i.test(suffix) && !isPublicSuffix(suffix)
  const startsLabel = new RegExp(`(?:^|\\.)\\$\\{${field.replaceAll('.', '\\.')}\\}`).test(host)
  if (!isFixedSuffix || !startsLabel) {
    throw new TemplateError(field, 'stands in a host name, but the spec gives it no pattern')
  }
  if (!/^[a-z0-9-]{1,63}$/i.test(value) || value.startsWith('-')) {
    throw new TemplateError(field, 'must be one part of a host name')
  }
  return value
}

/** Whether a domain such as `.co.uk` is one below which anybody registers names. */
function isPublicSuffix(domain: string): boolean {
  return /^[a-z0-9-]*\.(?:ac|co|com|edu|gov|ne|net|or|org)\.[a-z]{2}$/i.test(domain)
}

/** `${base_url}` at the very start. */
function resolveUrlFieldBase(
  template: string,
  values: TemplateValues,
  fields: TemplateFields,
): TemplateParts {
  const [, field, remainder = ''] = /^\$\{([A-Za-z0-9_.-]+)\}((?:[/?].*)?)$/s.exec(template) ?? []
  if (field === undefined) throw new TemplateError(undefined, 'has a URL that is not one')
  if (!fields.url.has(field)) {
    throw new TemplateError(field, 'starts a URL, but the spec gives it no pattern or format')
  }
  const value = requireTemplateValue(values, field)
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
        throw new TemplateError(placeholderNames(segment)[0], 'must not be a dot segment')
      }
      return filled
    })
    .join('/')
}

/** Servers that decode before they split would see the dots as segments. */
function encodePathValue(value: string, field: string): string {
  if (hasDotSegment(value)) throw new TemplateError(field, 'must not be a dot segment')
  return percentEncode(value)
}

function hasDotSegment(text: string): boolean {
  return text.split(/[/\\]|%2f|%5c/i).some(isDotSegment)
}

function isDotSegment(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment)
}

function percentEncode(value: string): string {
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
    encodeValue(requireTemplateValue(values, field), field),
  )
  // No value holds a brace here: what is left stood in the template.
  if (filled.includes('${')) throw new TemplateError(undefined, 'has a placeholder that is not one')
  return filled
}

function placeholderNames(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap(([, field]) => field ?? [])
}
