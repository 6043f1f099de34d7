import type { InputProperty } from '@linchpin/runner'

const MAX_LABEL = 100
/** Words that are written in upper case. */
const UPPERCASE_WORDS = new Set([
  'api',
  'id',
  'url',
  'uri',
  'pat',
  'sid',
  'pin',
  'ssl',
  'aws',
  'sso',
])

/** The label of a field: its title, else its name as words (`api_key` → "API key"). */
export function getFieldLabel(name: string, { title }: InputProperty): string {
  const explicitTitle = typeof title === 'string' ? title.trim() : ''
  return (explicitTitle === '' ? humanize(name) : explicitTitle).slice(0, MAX_LABEL)
}

function humanize(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
    .map((word) => (UPPERCASE_WORDS.has(word) ? word.toUpperCase() : word))
    .join(' ')
  return words === '' ? name : words.replace(/^./u, (firstLetter) => firstLetter.toUpperCase())
}

/**
 * A spec's pattern as a `pattern` attribute, or undefined when it may be unsafe. Patterns are untrusted: only anchored ones
 * of characters, classes and counts pass, with at most one unbounded quantifier. The server validates every pattern in the
 * sandbox in any case.
 */
export function getPatternHint(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern.length > 200 || !SAFE_PATTERN.test(pattern))
    return undefined
  const unboundedQuantifiers = pattern.match(/[+*]|,\}/g)?.length ?? 0
  // Browsers compile the attribute with the stricter `v` flag, which requires a trailing hyphen to be escaped.
  return unboundedQuantifiers <= 1 ? pattern.replace(/(?<!\\)-\]/g, String.raw`\-]`) : undefined
}

const CHARACTER = String.raw`[A-Za-z0-9_:@ =-]|\\[.dwWDsS+*?()/]`
const CLASS = String.raw`\[(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9_.:@ =]|\\[dw.\-])+-?\]`
const CHOICE = String.raw`\((?:\?:)?[A-Za-z0-9_]+(?:\|[A-Za-z0-9_]+)*\)`
const COUNT = String.raw`(?:\{\d{1,3}(?:,\d{0,3})?\}|[+*?])?`
const SAFE_PATTERN = new RegExp(String.raw`^\^(?:(?:${CLASS}|${CHOICE}|${CHARACTER})${COUNT})+\$$`)
