import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { measureCpuTimeGrowth } from '../../test/cpu-time-growth.ts'
import { describeInvalidSource } from './guest-call.ts'

describe('describeInvalidSource', () => {
  for (const [description, pattern, codes] of [
    [
      'a page',
      /web page/,
      ['<!doctype html><p>', '\n<html lang="en">', '<?xml version="1.0"?>', '<div class="a">'],
    ],
    ['JSON', /JSON/, ['{"a":1}', ' [1, 2]\n']],
    ['an error page', /error page/, ['404: Not Found', '403 Forbidden']],
    [
      'TypeScript',
      /TypeScript/,
      [
        'interface Config { key: string }\nexport default 1',
        'import type { A } from "a"',
        'export type Config = { a: 1 }',
        'enum Kind { A }',
      ],
    ],
    ['an ES module', /ES module/, ['export default async () => {}', 'import a from "a"']],
  ] as const)
    it(`recognizes ${description}`, () => {
      for (const code of codes) assert.match(describeInvalidSource(code) ?? '', pattern, code)
    })

  it('takes linear time for 2 MB that almost match', () => {
    for (const piece of [
      '\n',
      ';interface\nAextends;A',
      ';import aaaa',
      '; ',
      'export\n',
      ';type A<<<<',
    ]) {
      const { ratio, largestMs } = measureCpuTimeGrowth([500_000, 1_000_000, 2_000_000], (size) => {
        const code = piece.repeat(size / piece.length)
        return () => describeInvalidSource(code)
      })
      assert.ok(ratio < 9, `four times the input took ${ratio} times as long`)
      assert.ok(largestMs < 400, `${largestMs} ms`)
    }
  })

  it('returns nothing for JavaScript with a syntax error', () => {
    for (const code of ['exports.default = (', 'const a = {', 'a < b >', 'typeof A =', ''])
      assert.equal(describeInvalidSource(code), undefined, code)
  })
})
