/** Says whether code that does not compile looks like an ES module. */
export function isModuleSyntax(code: string): boolean {
  return EXPORT.test(code) || IMPORT.test(code)
}

const EXPORT = /(?:^|[;}\n])\s*export\s*(?:[{*]|(?:default|const|let|var|function|class|async)\b)/
const IMPORT = /(?:^|[;}\n])\s*import\s*(?:[{*"']|[\w$]+\s*(?:,|from\b))/
