import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseChildMessage } from './child-channel.ts'

describe('parseChildMessage', () => {
  it('parses the messages of a child', () => {
    for (const message of [
      { type: 'ready' },
      { type: 'idle', steps: [] },
      { type: 'busy', call: 1 },
      { type: 'code-request', call: 1, sha256: 'ab', acceptsImage: true },
      { type: 'image', body: new Uint8Array(3) },
      { type: 'image', body: undefined },
      { type: 'abort', call: 1, request: 2 },
      { type: 'request', call: 1, request: 2, text: '{}', body: new Uint8Array(3) },
      {
        type: 'end',
        call: 1,
        outcome: { ok: false, reason: 'cpu', message: '' },
        logs: 0,
        rss: 5,
        isDeterministic: true,
      },
    ]) {
      assert.deepEqual(parseChildMessage(message), message)
    }
    const end = { type: 'end', call: 1, logs: 0, rss: 5, isDeterministic: false }
    assert.deepEqual(
      parseChildMessage({ ...end, outcome: { ok: true }, body: Buffer.from('"\u20ac"') }),
      {
        ...end,
        outcome: { ok: true, json: '"\u20ac"' },
      },
    )
  })

  it('rejects everything else', () => {
    for (const message of [
      null,
      'ready',
      {},
      { type: 'busy', call: '1' },
      { type: 'request', call: 1, request: 2, text: 3 },
      { type: 'end', call: 1, outcome: { ok: true, json: '{}' } },
      { type: 'end', call: 1, outcome: { ok: true }, body: '{}' },
      { type: 'end', call: 1, outcome: { ok: false, reason: 'constructor', message: '' } },
    ]) {
      assert.equal(parseChildMessage(message), undefined)
    }
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), (message) => {
        parseChildMessage(message)
      }),
      { verbose: true },
    )
  })
})
