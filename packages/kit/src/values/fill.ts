import { CheckFailure } from '../spec/check-failure.ts'

/** The values that replace `${name}`. */
export type Config = Readonly<Record<string, unknown>>

/**
 * Replaces each `${name}` in a text, without encoding.
 *
 * @throws CheckFailure when a value is missing
 */
export function fillText(
  template: string,
  config: Config,
  write = (value: string) => value,
): string {
  return template.replace(/\$\{([\w.-]+)\}/g, (_, name: string) => {
    const value = config[name]
    if (value == null || value === '') {
      throw new CheckFailure('invalid_credentials', `${name} is missing.`, name)
    }
    return write(String(value))
  })
}

/** Replaces each `${name}` in every string inside a JSON value. */
export function fillDeep<T>(value: T, config: Config): T {
  if (typeof value === 'string') return fillText(value, config) as T
  if (Array.isArray(value)) return value.map((item) => fillDeep(item, config)) as T
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([name, item]) => [name, fillDeep(item, config)])
  return Object.fromEntries(entries)
}

/**
 * Replaces each `${name}` in a URL, percent-encoded, so that a value cannot leave its part of the URL. At the very
 * start a value is a whole URL.
 *
 * @throws CheckFailure when the result is not a URL
 */
export function fillUrl(template: string, config: Config): string {
  const [, start = '', rest = ''] = /^(\$\{[\w.-]+\})?(.*)$/s.exec(template) ?? []
  const base = withoutLastSlashes(fillText(start, config))
  const filled = base + fillText(rest, config, encodePart)
  if (URL.canParse(filled)) return filled
  throw new CheckFailure('wrong_host', 'This is not a valid address.', getFirstFieldName(template))
}

/** Without the slashes at the end. A regular expression would take quadratic time for a value of slashes. */
export function withoutLastSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}

/** The first field in a template. */
export function getFirstFieldName(template: string): string | undefined {
  return /\$\{([\w.-]+)\}/.exec(template)?.[1]
}

/** A segment of dots would change the path. */
function encodePart(value: string): string {
  if (!/^\.+$/.test(value)) return encodeURIComponent(value)
  throw new CheckFailure('wrong_host', 'This is not a valid address.')
}
