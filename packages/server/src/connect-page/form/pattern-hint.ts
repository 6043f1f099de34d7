/**
 * A spec's pattern as a hint for the browser, or undefined when it is not surely harmless. Patterns are other people's:
 * only plain ones pass, written out to both ends, of characters, classes and counts, with one open-ended repetition at
 * most. The server judges all of them in the jail, whatever was hinted.
 */
export function patternHint(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern.length > 200 || !SAFE_PATTERN.test(pattern))
    return undefined
  const unboundedQuantifiers = pattern.match(/[+*]|,\}/g)?.length ?? 0
  // Browsers read hints by stricter rules (the flag `v`), which want the last hyphen of a class escaped.
  return unboundedQuantifiers <= 1 ? pattern.replace(/(?<!\\)-\]/g, String.raw`\-]`) : undefined
}

const CHARACTER = String.raw`[A-Za-z0-9_:@ =-]|\\[.dwWDsS+*?()/]`
const CLASS = String.raw`\[(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9_.:@ =]|\\[dw.\-])+-?\]`
const CHOICE = String.raw`\((?:\?:)?[A-Za-z0-9_]+(?:\|[A-Za-z0-9_]+)*\)`
const COUNT = String.raw`(?:\{\d{1,3}(?:,\d{0,3})?\}|[+*?])?`
const SAFE_PATTERN = new RegExp(String.raw`^\^(?:(?:${CLASS}|${CHOICE}|${CHARACTER})${COUNT})+\$$`)
