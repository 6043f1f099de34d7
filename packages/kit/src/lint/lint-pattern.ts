import { runInNewContext } from 'node:vm'

/** Lints the pattern of a field; empty if it is valid. `isInHost`: the field is part of a host name. */
export function lintPattern(pattern: string | undefined, isInHost: boolean): string[] {
  if (pattern === undefined) return []
  if (!isPattern(pattern)) return ['has a pattern that is not a regular expression.']
  if (isSlow(pattern))
    return ['has a pattern that takes exponential time for some values: avoid nested repetition.']
  const allowsHostEscape =
    isInHost && HOST_ESCAPES.some((value) => new RegExp(pattern, 'u').test(value))
  return allowsHostEscape
    ? ['has a pattern that matches more than a host label: start it with ^ and end it with $.']
    : []
}

/** Returns true for a valid regular expression. */
export function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

const HOST_ESCAPES = ['acme/x', 'acme@x', 'acme?x', 'acme#x', 'acme x', 'acme\\x', 'a.b/c']

/** Measured, not estimated: runs the pattern with texts that almost match, with a timeout. */
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
