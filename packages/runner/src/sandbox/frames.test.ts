import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serialize } from 'node:v8'
import fc from 'fast-check'
import { CHILD_FRAME_LIMITS, encodeFrame, FrameError, FrameReader } from './messages.ts'

/** The messages that a reader returns for bytes that arrive in these chunks. */
function readAll(chunks: readonly Uint8Array[]): unknown[] {
  const messages: unknown[] = []
  const reader = new FrameReader(CHILD_FRAME_LIMITS, (message) => messages.push(message))
  for (const chunk of chunks) reader.push(chunk)
  return messages
}

function createPrefix(headerBytes: number, bodyBytes: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32LE(headerBytes, 0)
  bytes.writeUInt32LE(bodyBytes, 4)
  return bytes
}

describe('FrameReader', () => {
  it('reads messages and bodies, however the stream is split', () => {
    const message = fc.record(
      {
        type: fc.string({ unit: 'binary' }),
        call: fc.integer(),
        text: fc.string({ unit: 'binary', maxLength: 300 }),
        body: fc.uint8Array({ maxLength: 300 }),
      },
      { requiredKeys: ['type'], noNullPrototype: true },
    )
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 200 })),
        (messages, sizes) => {
          const bytes = Buffer.concat(messages.flatMap(encodeFrame))
          const chunks: Uint8Array[] = []
          for (let at = 0; at < bytes.byteLength; ) {
            const size = sizes.next().value ?? 1
            chunks.push(bytes.subarray(at, at + size))
            at += size
          }
          const read = readAll(chunks).map((each) => {
            const { body, ...header } = each as { body?: Uint8Array }
            return body === undefined ? header : { ...header, body: new Uint8Array(body) }
          })
          assert.deepEqual(read, messages)
        },
      ),
      { verbose: true },
    )
  })

  it('rejects arbitrary and damaged bytes with FrameError and nothing else', () => {
    const valid = Buffer.concat([
      ...encodeFrame({ type: 'code-request', call: 1, sha256: 'ab' }),
      ...encodeFrame({ type: 'request', call: 1, request: 2, text: '{}', body: Buffer.alloc(40) }),
    ])
    const damagedBytes = fc
      .array(fc.tuple(fc.nat(valid.byteLength - 1), fc.nat(255)), { minLength: 1, maxLength: 6 })
      .map((changes) => {
        const bytes = Buffer.from(valid)
        for (const [at, value] of changes) bytes[at] = value
        return bytes
      })
    fc.assert(
      fc.property(fc.oneof(damagedBytes, fc.uint8Array({ maxLength: 400 })), (bytes) => {
        try {
          readAll([bytes])
        } catch (error) {
          assert.ok(error instanceof FrameError, String(error))
        }
      }),
      { verbose: true, numRuns: 2_000 },
    )
  })

  it('rejects V8 serialization, invalid lengths and headers that are not an object', () => {
    const noBody = 0xffff_ffff
    for (const bytes of [
      Buffer.concat([createPrefix(serialize({}).byteLength, noBody), serialize({ type: 'ready' })]),
      createPrefix(CHILD_FRAME_LIMITS.headerBytes + 1, noBody),
      createPrefix(2, CHILD_FRAME_LIMITS.bodyBytes + 1),
      createPrefix(0, noBody),
      ...['[]', 'null', '12', '"a"', '{"a":', '{"type":"\u00ff"}'].map((text) =>
        Buffer.concat([createPrefix(text.length, noBody), Buffer.from(text, 'latin1')]),
      ),
    ])
      assert.throws(() => readAll([bytes]), FrameError)
  })
})
