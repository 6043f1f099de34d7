/** The values for `${name}` placeholders: the config of an account. */
export type TemplateValues = Readonly<Record<string, unknown>>

/**
 * The value of one field as text of at most 2,048 characters. Converts numbers and booleans.
 *
 * @throws TemplateError if it is missing, empty or not plain text
 */
export function requireTemplateValue(values: TemplateValues, field: string): string {
  const value = Object.hasOwn(values, field) ? values[field] : undefined
  if (value === undefined || value === null || value === '') {
    throw new TemplateError(field, 'is required')
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new TemplateError(field, 'must be a string')
  }
  const text = String(value)
  if (text.length > MAX_VALUE_LENGTH) throw new TemplateError(field, 'is too long')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be rejected
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text) || !text.isWellFormed()) {
    throw new TemplateError(field, 'contains characters that are not allowed')
  }
  return text
}

/**
 * Replaces each `${name}` in a parameter of a spec. Does not encode: the form, JSON or query serializer does that.
 *
 * @throws TemplateError
 */
export function fillPlaceholders(template: string, values: TemplateValues): string {
  return template.replace(PLACEHOLDER, (_match, field: string) =>
    requireTemplateValue(values, field),
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

const MAX_VALUE_LENGTH = 2_048

/**
 * A `${name}` that the config cannot fill, or an invalid template. `field` names the config field; undefined means that
 * the template itself is invalid. The message never contains a value.
 */
export class TemplateError extends Error {
  readonly field: string | undefined

  constructor(field: string | undefined, problem: string) {
    super(field === undefined ? `The spec ${problem}.` : `${field} ${problem}.`)
    this.name = 'TemplateError'
    this.field = field
  }
}
