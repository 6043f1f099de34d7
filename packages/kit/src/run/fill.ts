import { Refusal } from './refusal.ts'

/** What `${name}` is filled from. */
export type Config = Readonly<Record<string, unknown>>

/**
 * A text with each `${name}` filled as it is.
 *
 * @throws Refusal when a value is missing
 */
export function fillText(
  template: string,
  config: Config,
  write = (value: string) => value,
): string {
  return template.replace(/\$\{([\w.-]+)\}/g, (_, name: string) => {
    const value = config[name]
    if (value == null || value === '') {
      throw new Refusal('invalid_credentials', `${name} is missing.`, name)
    }
    return write(String(value))
  })
}

/** Every text inside a JSON value, filled. */
export function fillDeep<T>(value: T, config: Config): T {
  if (typeof value === 'string') return fillText(value, config) as T
  if (Array.isArray(value)) return value.map((item) => fillDeep(item, config)) as T
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([name, item]) => [name, fillDeep(item, config)])
  return Object.fromEntries(entries)
}

/**
 * A URL with each `${name}` percent-encoded, so that a value stays where it stands. At the very start a value is a
 * whole URL.
 *
 * @throws Refusal when that makes no URL
 */
export function fillUrl(template: string, config: Config): string {
  const [, start = '', rest = ''] = /^(\$\{[\w.-]+\})?(.*)$/s.exec(template) ?? []
  const base = fillText(start, config).replace(/\/+$/, '')
  const filled = base + fillText(rest, config, encodePart)
  if (URL.canParse(filled)) return filled
  throw new Refusal('wrong_host', 'This makes no address.', firstName(template))
}

/** The first field that a template names. */
export function firstName(template: string): string | undefined {
  return /\$\{([\w.-]+)\}/.exec(template)?.[1]
}

/** Dots alone would be a step up. */
function encodePart(value: string): string {
  if (!/^\.+$/.test(value)) return encodeURIComponent(value)
  throw new Refusal('wrong_host', 'This makes no address.')
}
