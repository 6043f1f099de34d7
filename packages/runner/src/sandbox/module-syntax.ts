/** Says whether code that does not compile looks like an ES module. */
export function isModuleSyntax(code: string): boolean {
  return EXPORT.test(code) || IMPORT.test(code)
}

// White space is bounded: a run of line ends must not be walked anew from each of them.
const EXPORT =
  /(?:^|[;}\n])\s{0,40}export\s*(?:[{*]|(?:default|const|let|var|function|class|async)\b)/
const IMPORT = /(?:^|[;}\n])\s{0,40}import\s*(?:[{*"']|[\w$]+\s*(?:,|from\b))/
