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
