/** Returns true if code that does not compile looks like an ES module. */
export function isModuleSyntax(code: string): boolean {
  const start = code.slice(0, MAX_SCANNED_LENGTH)
  return EXPORT.test(start) || IMPORT.test(start)
}

const MAX_SCANNED_LENGTH = 256 * 1024
// Every repetition is bounded, so that a long run is not scanned again from each of its characters.
const EXPORT =
  /(?:^|[;}\n])\s{0,40}export\s{0,40}(?:[{*]|(?:default|const|let|var|function|class|async)\b)/
const IMPORT = /(?:^|[;}\n])\s{0,40}import\s{0,40}(?:[{*"']|[\w$]{1,200}\s{0,40}(?:,|from\b))/
