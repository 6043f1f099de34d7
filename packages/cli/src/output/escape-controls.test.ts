import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Output } from '../io.ts'
import { reportError } from '../report-error.ts'
import { UsageError } from '../usage-error.ts'
import { createSafeOutput, escapeControls, toJsonLine } from './escape-controls.ts'
import { printList, printResult } from './print-result.ts'
import { printStream } from './print-stream.ts'

/** One of every kind: C0, DEL, C1, and what changes the direction of text. */
const HOSTILE = [
  ...['\0', '\u0007', '\b', '\u001b[2J', '\u001b]0;title\u0007', '\u001b[0m', '\r', '\u007f'],
  ...['\u0080', '\u0085', '\u009b31m', '\u009d0;title\u009c', '\u009f', '\u061c', '\u200e'],
  ...['\u200f', '\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069', '\ufeff'],
]
// biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
const RAW = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/

function createOutput(isTTY: boolean): { output: Output; read: () => string } {
  let written = ''
  const target = { isTTY, columns: 400, write: (text: string) => (written += text) }
  return { output: createSafeOutput(target, { isForPeople: false }), read: () => written }
}

const toContext = (stdout: Output, isJson: boolean) => {
  const io = { stdout, stderr: stdout, env: { NO_COLOR: '1' }, now: Date.now }
  return { io, isJson } as unknown as Parameters<typeof printList>[2]
}

async function* toItems(items: readonly object[]) {
  yield* items
}

const LIST_OPTIONS = {
  limit: undefined,
  columns: undefined,
  loadTools: async () => new Map<string, string>(),
}

describe('What the service says, on a terminal', () => {
  for (const hostile of HOSTILE)
    it(`${JSON.stringify(hostile).slice(0, 20)} ${escapeControls(hostile)} is shown, not executed`, async () => {
      const name = `before${hostile}after`
      const record = { name, tags: { [name]: name }, list: [name] }
      for (const isJson of [true, false]) {
        const { output, read } = createOutput(true)
        await printResult(record, toContext(output, isJson))
        await printList(toItems([record, record]), LIST_OPTIONS, toContext(output, isJson))
        assert.doesNotMatch(read(), RAW)
        assert.match(read(), /before.*after/)
      }
      const { output, read } = createOutput(true)
      await printStream(new Response(name), toContext(output, true))
      reportError(new UsageError(name), {
        stderr: output,
        signal: new AbortController().signal,
      } as never)
      assert.doesNotMatch(read(), RAW)
    })

  it('is the same JSON value, and the same bytes when it goes to a program', async () => {
    const value = { name: HOSTILE.join('') }
    assert.deepEqual(JSON.parse(toJsonLine(value)), value)
    const { output, read } = createOutput(false)
    const body = `"${HOSTILE.slice(0, -1).join('')}"\r\n`
    await printStream(new Response(body), toContext(output, true))
    assert.equal(read(), body)
  })

  it('keeps tabs, line ends, letters of all languages and the style of a header', () => {
    const text = 'a\tb\r\nñ日本עברית😀\n'
    assert.equal(escapeControls(text), text)
    const { output, read } = createOutput(true)
    output.write('\u001b[1mNAME\u001b[0m\n')
    assert.equal(read(), '\u001b[1mNAME\u001b[0m\n')
  })
})
