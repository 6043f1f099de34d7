import { runInNewContext } from 'node:vm'

/** What is wrong with the pattern of a field; empty when nothing is. `isInHost`: the field stands in a host name. */
export function lintPattern(pattern: string | undefined, isInHost: boolean): string[] {
  if (pattern === undefined) return []
  if (!isPattern(pattern)) return ['has a pattern that is no regular expression.']
  if (isSlow(pattern))
    return ['has a pattern that takes ages for some values: repeat nothing that repeats.']
  const allowsHostEscape =
    isInHost && HOST_ESCAPES.some((value) => new RegExp(pattern, 'u').test(value))
  return allowsHostEscape
    ? ['has a pattern that lets more than a name into the host: begin it with ^ and end it with $.']
    : []
}

/** Whether a text is one. */
export function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

const HOST_ESCAPES = ['acme/x', 'acme@x', 'acme?x', 'acme#x', 'acme x', 'acme\\x', 'a.b/c']

/** Tried, not guessed: texts in which much almost fits, and a time after which nobody waits any more. */
function isSlow(pattern: string): boolean {
  const sandbox = { pattern, texts: SAMPLE_PIECES.map((piece) => `${piece.repeat(REPEATS)}\u0000`) }
  try {
    runInNewContext('texts.some((text) => new RegExp(pattern, "u").test(text))', sandbox, {
      timeout: TIMEOUT_MS,
    })
    return false
  } catch {
    return true
  }
}

const SAMPLE_PIECES = [
  'a',
  'A',
  '0',
  'a.',
  'a-',
  '-',
  '.',
  '_',
  ' ',
  'aA0',
  '0a',
  'a@',
  '/',
  'é',
  'x.a',
]
const REPEATS = 64
const TIMEOUT_MS = 1_000
