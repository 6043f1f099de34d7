import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { measureCpuTimeGrowth } from '../test/cpu-time-growth.ts'
import { parseBundleResult } from './pool/call.ts'
import { redactSecrets } from './redact-secrets.ts'

/** A text and a config of about `size` characters each, built to match as often and as late as possible. */
type ScrubInput = (size: number) => readonly [text: string, config: unknown]

const createValues = (size: number, length: number) =>
  Array.from({ length: Math.floor(size / length) }, (_, at) => `${at}`.padStart(length, 'a'))

const SCRUB_INPUTS: Readonly<Record<string, ScrubInput>> = {
  'a result with a secret of one character': (size) => ['a'.repeat(15 * size), 'a'.repeat(size)],
  'secrets with a common beginning': (size) => ['a'.repeat(15 * size), createValues(size, 100)],
  'secrets of four characters': (size) => ['abcd'.repeat(4 * size), createValues(size, 4)],
  'a secret with many lines': (size) => ['abcd'.repeat(4 * size), createValues(size, 8).join('\n')],
  'encoded secrets': (size) => ['%2F'.repeat(5 * size), '/'.repeat(size)],
  'secrets that share every prefix': (size) => [
    'a'.repeat(15 * size),
    Array.from({ length: Math.floor(Math.sqrt(size)) }, (_, at) => 'a'.repeat(at + 4)),
  ],
  'words of three characters': (size) => ['ab cd '.repeat(2 * size), createValues(size, 3)],
  'deep nesting': (size) => ['abcd', JSON.parse('['.repeat(size / 2) + ']'.repeat(size / 2))],
}

const JSON_INPUTS: Readonly<Record<string, (size: number) => string>> = {
  'one long text': (size) => `"${'x'.repeat(size)}"`,
  'escapes only': (size) => `"${'\\u0041'.repeat(size / 6)}"`,
  'backslashes only': (size) => `"${'\\\\'.repeat(size / 2)}"`,
  'empty arrays': (size) => `[${'[],'.repeat(size / 3)}0]`,
  'different keys': (size) => JSON.stringify(Object.fromEntries(createValues(size, 16).entries())),
  'deep arrays': (size) => `[${`${'['.repeat(90)}${']'.repeat(90)},`.repeat(size / 181)}0]`,
  'brackets that are never closed': (size) => '['.repeat(size),
}

describe('processing a text of a bundle', () => {
  for (const [name, buildInput] of Object.entries(SCRUB_INPUTS)) {
    it(`scrub is linear and below 100 ms at 60 kB: ${name}`, () => {
      const { ratio, largestMs } = measureCpuTimeGrowth([15_000, 30_000, 60_000], (size) => {
        const [text, config] = buildInput(size)
        return () => redactSecrets(text, config)
      })
      assert.ok(ratio < 8, `four times the input took ${ratio} times as long`)
      assert.ok(largestMs < 500, `${largestMs} ms`)
    })
  }

  for (const [name, buildJson] of Object.entries(JSON_INPUTS)) {
    it(`parseBundleResult is linear and below 150 ms at 1 MB: ${name}`, () => {
      const { ratio, largestMs } = measureCpuTimeGrowth([250_000, 500_000, 1_000_000], (size) => {
        const json = buildJson(size)
        return () => parseBundleResult(json)
      })
      assert.ok(ratio < 8, `four times the input took ${ratio} times as long`)
      assert.ok(largestMs < 750, `${largestMs} ms`)
    })
  }
})
