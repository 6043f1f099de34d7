import { type ConfigFields, listEnumOptions } from './find-value-errors.ts'

type Config = Readonly<Record<string, unknown>>

/**
 * A configuration without the whitespace around its texts, which comes from copying and which no header can carry. Applies to
 * the fields themselves and to those of an object. A field with a `pattern` or a list of values is validated as entered.
 */
export function trimConfig(fields: ConfigFields | undefined, config: Config): Config {
  const trimField = ([name, value]: [string, unknown]): [string, unknown] => {
    const property = fields?.properties.get(name)
    const isConstrained = property?.pattern !== undefined || listEnumOptions(property ?? {})
    return [name, isConstrained ? value : trimValue(name, value)]
  }
  return Object.fromEntries(Object.entries(config).map(trimField))
}

function trimValue(name: string, value: unknown): unknown {
  if (typeof value === 'string') return trimText(name, value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, one]) => [
    key,
    typeof one === 'string' ? trimText(key, one) : one,
  ])
  return Object.fromEntries(entries)
}

/**
 * The text of a field without the whitespace around it. Text of several lines is unchanged: a private key may have to end
 * with a line break. In a password, spaces at the ends may be intended, so only line breaks are removed.
 */
export function trimText(name: string, text: string): string {
  const trimmed = text.trim()
  if (/[\n\r]/.test(trimmed)) return text
  return PASSWORD_NAME.test(name) ? trimLineBreaks(text) : trimmed
}

/** By loops: a regular expression would be quadratic in a run of line breaks. */
function trimLineBreaks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isLineBreak(text[start])) start += 1
  while (end > start && isLineBreak(text[end - 1])) end -= 1
  return text.slice(start, end)
}

function isLineBreak(character: string | undefined): boolean {
  return character === '\n' || character === '\r'
}

/** Names of fields whose spaces may be intended. */
export const PASSWORD_NAME = /passw|passphrase/i
