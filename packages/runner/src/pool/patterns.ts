import { createHash } from 'node:crypto'
import type { Tenant } from '../egress/egress.ts'
import {
  type Bundle,
  type BundleCall,
  type PatternResult,
  type PatternTest,
  RunnerError,
} from '../runner.ts'

/**
 * Validates patterns in this process, if all of them together take few steps, whatever the values are; undefined if they might
 * not, or if a pattern has anything but characters, classes, groups, alternatives and quantifiers.
 */
export function testShortPatterns(tests: readonly PatternTest[]): PatternResult[] | undefined {
  let steps = 0
  for (const { pattern, value = '' } of tests) {
    steps += COMPILE_STEPS + countSteps(pattern, value.length)
    if (!(steps <= MAX_STEPS)) return undefined
  }
  return tests.map(testPattern)
}

/** A few milliseconds. */
const MAX_STEPS = 200_000
const COMPILE_STEPS = 1_000

function testPattern({ pattern, value }: PatternTest): PatternResult {
  const regex = compile(pattern, 'u') ?? compile(pattern)
  if (regex === undefined) return 'invalid'
  return value === undefined || regex.test(value) ? 'match' : 'no_match'
}

function compile(pattern: string, flags?: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}

/**
 * The most steps that a backtracking matcher takes for a text of that length: the ways to choose alternatives and repetitions,
 * each of which consumes the text once, from each start. Infinity for a pattern that it cannot count.
 */
function countSteps(pattern: string, length: number): number {
  const ways = new PatternWays(pattern, length).count()
  const starts = pattern.startsWith('^') && !pattern.includes('|') ? 1 : length + 1
  return ways * starts * (length + pattern.length)
}

/** Counts the ways in which a pattern can match, by recursive descent. */
class PatternWays {
  readonly #tokens: readonly string[] | undefined
  readonly #length: number
  #at = 0

  constructor(pattern: string, length: number) {
    this.#length = length
    const tokens = pattern.match(TOKENS) ?? []
    const isWhole = tokens.join('').length === pattern.length
    this.#tokens = isWhole && tokens.length <= MAX_TOKENS ? tokens : undefined
  }

  count(): number {
    if (this.#tokens === undefined) return Number.POSITIVE_INFINITY
    const ways = this.#alternatives()
    return this.#at === this.#tokens.length ? ways : Number.POSITIVE_INFINITY
  }

  get #next(): string {
    return this.#tokens?.[this.#at] ?? ''
  }

  #alternatives(): number {
    let ways = this.#sequence()
    while (this.#next === '|') {
      this.#at++
      ways += this.#sequence()
    }
    return ways
  }

  #sequence(): number {
    let ways = 1
    while (this.#next !== '' && this.#next !== '|' && this.#next !== ')') ways *= this.#term()
    return ways
  }

  #term(): number {
    const token = this.#next
    this.#at++
    // A quantifier of nothing.
    if (QUANTIFIER.test(token)) return Number.POSITIVE_INFINITY
    if (!token.startsWith('(')) return this.#repeat(1)
    const ways = this.#alternatives()
    if (this.#next !== ')') return Number.POSITIVE_INFINITY
    this.#at++
    return this.#repeat(ways)
  }

  #repeat(ways: number): number {
    const [, sign, least, hasMost, most] = QUANTIFIER.exec(this.#next) ?? []
    if (sign === undefined) return ways
    this.#at++
    const from = sign === '+' ? 1 : Number(least ?? 0)
    const to =
      sign === '?' ? 1 : least !== undefined && !hasMost ? from : Number(most || this.#length)
    if (ways === 1) return Math.max(1, to - from + 1)
    let sum = 0
    for (let count = from; count <= Math.min(to, MAX_REPETITIONS); count++) sum += ways ** count
    return to > MAX_REPETITIONS ? Number.POSITIVE_INFINITY : Math.max(1, sum)
  }
}

const MAX_TOKENS = 500
/** Beyond these, two ways each are more steps than are allowed. */
const MAX_REPETITIONS = 20
/** Classes, escaped classes and characters, groups, quantifiers, and characters that stand for themselves. */
const TOKENS =
  /\[(?:\\.|[^\]\\])*\]|\\[dDwWsS]|\\[^\w\s]|\(\?:|[()|^$.]|(?:[*+?]|\{\d{1,5}(?:,\d{0,5})?\})\??|[^\\^$.|?*+()[\]{}]/gsu
/** Its sign, or the least, whether there is a comma, and the most. */
const QUANTIFIER = /^([*+?]|\{(?=\d))(?:(\d+)(,)?(\d*)\})?/

const PATTERN_LIMITS = { cpuMs: 500, wallMs: 5_000, requests: 0 }

/** A call that validates patterns in the sandbox. */
export function createPatternCall(tests: readonly PatternTest[], tenant: Tenant): BundleCall {
  const params = { tests }
  return { bundle: patternBundle, tenant, command: 'RUN', params, limits: PATTERN_LIMITS }
}

/** @throws RunnerError when the sandbox did not return a result for each test */
export function parsePatternResults(
  tests: readonly PatternTest[],
  value: unknown,
): PatternResult[] {
  if (Array.isArray(value) && value.length === tests.length && value.every(isPatternResult))
    return value
  throw new RunnerError('integration_bad_output', 'The patterns could not be validated.')
}

function isPatternResult(value: unknown): value is PatternResult {
  return value === 'match' || value === 'no_match' || value === 'invalid'
}

/** A built-in bundle that validates patterns. They run in the sandbox because some patterns never end. */
const patternBundle: Bundle = Object.freeze({
  sha256: createHash('sha256').update(createCode()).digest('hex'),
  load: async () => createCode(),
})

function createCode(): string {
  return `
    const compile = (pattern) => {
      try { return new RegExp(pattern, 'u') } catch {}
      try { return new RegExp(pattern) } catch {}
    }
    const evaluate = ({ pattern, value }) => {
      const regex = compile(pattern)
      if (regex === undefined) return 'invalid'
      return value === undefined || regex.test(value) ? 'match' : 'no_match'
    }
    module.exports = async (command, { tests }) => tests.map(evaluate)`
}
