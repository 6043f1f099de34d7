import { runInNewContext } from 'node:vm'

/** What is wrong with the pattern of a field; empty when nothing is. `isInHost`: the field stands in a host name. */
export function lintPattern(pattern: string | undefined, isInHost: boolean): string[] {
  if (pattern === undefined) return []
  if (!isPattern(pattern)) return ['has a pattern that is no regular expression.']
  if (isSlow(pattern))
    return ['has a pattern that takes ages for some values: repeat nothing that repeats.']
  const isWide = isInHost && STEPS_OUT.some((value) => new RegExp(pattern, 'u').test(value))
  return isWide
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

const STEPS_OUT = ['acme/x', 'acme@x', 'acme?x', 'acme#x', 'acme x', 'acme\\x', 'a.b/c']

/** Tried, not guessed: texts in which much almost fits, and a time after which nobody waits any more. */
function isSlow(pattern: string): boolean {
  const sandbox = { pattern, texts: PIECES.map((piece) => `${piece.repeat(REPEATS)}\u0000`) }
  try {
    runInNewContext('texts.some((text) => new RegExp(pattern, "u").test(text))', sandbox, {
      timeout: PATIENCE_MS,
    })
    return false
  } catch {
    return true
  }
}

const PIECES = ['a', 'A', '0', 'a.', 'a-', '-', '.', '_', ' ', 'aA0', '0a', 'a@', '/', 'é', 'x.a']
const REPEATS = 64
const PATIENCE_MS = 1_000
