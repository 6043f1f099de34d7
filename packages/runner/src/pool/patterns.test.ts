import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { measureCpuTimeGrowth } from '../../test/cpu-time-growth.ts'
import { testShortPatterns } from './patterns.ts'

describe('testShortPatterns', () => {
  it('validates the patterns of the catalogue', () => {
    const registry = readFileSync(
      new URL('../../../catalogue/generated/registry.json', import.meta.url),
      'utf8',
    )
    const patterns = [...registry.matchAll(/\\"pattern\\":\\"(.*?)\\"[,}]/g)].map(
      ([, pattern = '']) => JSON.parse(`"${JSON.parse(`"${pattern}"`)}"`),
    )
    assert.ok(patterns.length > 10)
    for (const pattern of new Set(patterns))
      assert.ok(testShortPatterns([{ pattern, value: 'x'.repeat(63) }]), pattern)
  })

  it('returns what the pattern matches', () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ['^[a-z0-9][a-z0-9-]{0,62}([.][a-z0-9-]{2,20})?$', 'acme-1.eu', 'match'],
      ['^[a-z0-9][a-z0-9-]{0,62}([.][a-z0-9-]{2,20})?$', 'Acme', 'no_match'],
      ['^(?:eu|us|ap)\\.', 'us.', 'match'],
      ['\\d+', 'no digits', 'no_match'],
      ['^[^@]+@[^@]+$', 'a@b', 'match'],
      ['^a{3}$', 'aaa', 'match'],
      ['^\\-$', '-', 'match'],
    ]
    for (const [pattern, value, expected] of cases)
      assert.deepEqual(testShortPatterns([{ pattern, value }]), [expected], pattern)
    assert.deepEqual(testShortPatterns([{ pattern: '^[a-z]+$' }]), ['match'])
  })

  it('leaves to the sandbox what may take long, and what it does not know', () => {
    const value = `${'a'.repeat(40)}!`
    for (const pattern of [
      ...['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(a*)*b', '^(.*)(.*)(.*)(.*)$', 'a*a*a*a*b'],
      ...['^(?=a)', '(?<!a)b', '(a)\\1', '\\u{61}', '\\x61', '(?<name>a)', '(?i:a)'],
      ...['(', ')', '[', 'a{2', '*', 'a**', '\\', 'a{99999,}'.repeat(600)],
    ])
      assert.equal(testShortPatterns([{ pattern, value }]), undefined, pattern)
    const long = { pattern: '^[a-z]+$', value: 'a'.repeat(10_000) }
    assert.equal(testShortPatterns([long]), undefined)
    const many = Array.from({ length: 5_000 }, () => ({ pattern: '^[a-z]+$', value: 'abc' }))
    assert.equal(testShortPatterns(many), undefined)
  })

  it('takes a few milliseconds at most, for any pattern', () => {
    const parts = ['a*', '(a|b)', 'a?', '(?:aa?){0,3}', '[ab]{1,9}', 'b', '(a*|b*)?', '.+']
    let random = 7
    const next = (below: number) => {
      random = (random * 48_271) % 2_147_483_647
      return random % below
    }
    let shortCount = 0
    for (let round = 0; round < 500; round++) {
      const pattern = `^${Array.from({ length: 1 + next(6) }, () => parts[next(parts.length)]).join('')}$`
      const test = { pattern, value: `${'a'.repeat(next(200))}!` }
      if (testShortPatterns([test]) === undefined) continue
      shortCount++
      const { largestMs } = measureCpuTimeGrowth([1], () => () => testShortPatterns([test]))
      assert.ok(largestMs < 50, `${pattern} took ${largestMs} ms`)
    }
    assert.ok(shortCount > 50, `${shortCount}`)
  })
})
