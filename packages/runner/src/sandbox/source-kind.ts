import { isModuleSyntax } from './module-syntax.ts'

/**
 * What code that does not compile most likely is, as the end of "The bundle cannot be loaded: …"; undefined when
 * nobody can tell. People paste the address of a page, or of the source, more often than they write bad JavaScript.
 */
export function sourceKind(code: string): string | undefined {
  const start = code.slice(0, 2_000).trimStart()
  if (/^<(?:!doctype|html|head|body|\?xml|[a-z][\w:-]*[\s>])/i.test(start))
    return 'it is a web page or XML, not JavaScript. Check the address.'
  if (/^[{[]/.test(start) && isJson(code)) return 'it is JSON, not JavaScript. Check the address.'
  if (/^\d{3}\b[:\s]/.test(start)) return 'it is an error page, not JavaScript. Check the address.'
  if (TYPESCRIPT.test(code))
    return "it is TypeScript source. Build it as CommonJS (`format: 'cjs'`) first."
  if (isModuleSyntax(code)) return "it is an ES module. Build it as CommonJS (`format: 'cjs'`)."
  return undefined
}

const TYPESCRIPT =
  /(?:^|[;}\n])\s{0,40}(?:export\s+)?(?:interface\s+[A-Z]\w*\s*(?:extends\b[^{]*)?\{|type\s+[A-Z]\w*(?:<[^=\n]{0,80}>)?\s*=|import\s+type\b|enum\s+[A-Z]\w*\s*\{)/

function isJson(code: string): boolean {
  try {
    JSON.parse(code)
    return true
  } catch {
    return false
  }
}
