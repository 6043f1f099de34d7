import { isModuleSyntax } from './module-syntax.ts'

/**
 * The likely kind of code that does not compile, as the end of "The bundle cannot be loaded: …"; undefined if unknown.
 * People paste the URL of a page, or of the source, more often than they write invalid JavaScript.
 */
export function describeInvalidSource(code: string): string | undefined {
  const start = code.slice(0, 2_000).trimStart()
  if (/^<(?:!doctype|html|head|body|\?xml|[a-z][\w:-]*[\s>])/i.test(start))
    return 'it is a web page or XML, not JavaScript. Check the URL.'
  if (/^[{[]/.test(start) && isJson(code)) return 'it is JSON, not JavaScript. Check the URL.'
  if (/^\d{3}\b[:\s]/.test(start)) return 'it is an error page, not JavaScript. Check the URL.'
  if (TYPESCRIPT.test(code.slice(0, MAX_SCANNED_LENGTH)))
    return "it is TypeScript source. Build it as CommonJS (`format: 'cjs'`) first."
  if (isModuleSyntax(code)) return "it is an ES module. Build it as CommonJS (`format: 'cjs'`)."
  return undefined
}

const MAX_SCANNED_LENGTH = 256 * 1024
// Every repetition is bounded, as in module-syntax.ts.
const TYPESCRIPT =
  /(?:^|[;}\n])\s{0,40}(?:export\s+)?(?:interface\s{1,40}[A-Z]\w{0,200}\s{0,40}(?:extends\b[^{;]{0,400})?\{|type\s{1,40}[A-Z]\w{0,200}(?:<[^=\n]{0,80}>)?\s{0,40}=|import\s{1,40}type\b|enum\s{1,40}[A-Z]\w{0,200}\s{0,40}\{)/

function isJson(code: string): boolean {
  try {
    JSON.parse(code)
    return true
  } catch {
    return false
  }
}
