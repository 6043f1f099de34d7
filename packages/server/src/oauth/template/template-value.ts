import { TemplateError } from './template-error.ts'

/** What `${name}` is filled from: the config of an account. */
export type TemplateValues = Readonly<Record<string, unknown>>

/**
 * The text of one field: strings as they are, numbers and booleans as text, at most 2,048 characters.
 *
 * @throws TemplateError when it is missing, empty or no plain text
 */
export function requireTemplateValue(values: TemplateValues, field: string): string {
  const value = Object.hasOwn(values, field) ? values[field] : undefined
  if (value === undefined || value === null || value === '') {
    throw new TemplateError(field, 'is needed here, but was not given')
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new TemplateError(field, 'must be text')
  }
  const text = String(value)
  if (text.length > MAX_VALUE_LENGTH) throw new TemplateError(field, 'is too long')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is sought
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text) || !text.isWellFormed()) {
    throw new TemplateError(field, 'holds characters that are not allowed')
  }
  return text
}

/**
 * A parameter of a spec with each `${name}` filled. Nothing is encoded: form, JSON or query do that.
 *
 * @throws TemplateError
 */
export function fillPlaceholders(template: string, values: TemplateValues): string {
  return template.replace(PLACEHOLDER, (_match, field: string) =>
    requireTemplateValue(values, field),
  )
}

/** The values, and what the spec fills in where nothing was given. */
export function withDefaults(
  values: TemplateValues,
  defaults: TemplateValues = {},
): TemplateValues {
  const hasValue = ([, value]: readonly [string, unknown]) => value != null && value !== ''
  return { ...defaults, ...Object.fromEntries(Object.entries(values).filter(hasValue)) }
}

/** `${name}` in a template. */
export const PLACEHOLDER = /\$\{([A-Za-z0-9_.-]+)\}/g

const MAX_VALUE_LENGTH = 2_048
