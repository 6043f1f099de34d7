/**
 * A spec's pattern as a `pattern` attribute, or undefined when it may be unsafe. Patterns are untrusted: only anchored ones
 * of characters, classes and counts pass, with at most one unbounded quantifier. The server validates every pattern in the
 * sandbox in any case.
 */
export function patternHint(pattern: unknown): string | undefined {
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
