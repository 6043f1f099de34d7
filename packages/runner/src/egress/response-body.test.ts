import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { EgressError } from './egress.ts'
import { ResponseBody } from './response-body.ts'

/** A body, and what it has asked of its connection. */
function openBody() {
  const calls: string[] = []
  const source = {
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    abort: () => calls.push('abort'),
  }
  return { calls, body: new ResponseBody(source, { maxResponseBytes: 1_000_000 }) }
}

/** A sink that takes `room` chunks at a time. */
function createSink(room: number) {
  const received: string[] = []
  let left = room
  return {
    received,
    refill: () => {
      left = room
    },
    data: (chunk: Uint8Array) => {
      received.push(Buffer.from(chunk).toString())
      left -= 1
      return left > 0
    },
    end: () => void received.push('(end)'),
    fail: (error: EgressError) => void received.push(`(${error.code})`),
  }
}

const bytes = (text: string) => Buffer.from(text)

describe('ResponseBody', () => {
  it('delivers what arrived before its sink, and ends after the last chunk', () => {
    const { body } = openBody()
    for (const text of ['a', '', 'b']) body.push(bytes(text))
    body.complete()
    const sink = createSink(9)
    body.deliver(sink)
    assert.deepEqual(sink.received, ['a', 'b', '(end)'])
  })

  it('pauses the connection for a sink that is full, and delivers what arrives nevertheless later', () => {
    const { body, calls } = openBody()
    const sink = createSink(1)
    body.deliver(sink)
    for (const text of ['a', 'b']) body.push(bytes(text))
    body.complete()
    assert.deepEqual([sink.received, calls], [['a'], ['pause']])
    sink.refill()
    body.resume()
    assert.deepEqual(sink.received, ['a', 'b'])
    body.resume()
    assert.deepEqual(sink.received, ['a', 'b', '(end)'])
  })

  it('receives 64 kB ahead of its sink', () => {
    const { body, calls } = openBody()
    body.push(Buffer.alloc(65_535))
    assert.deepEqual(calls, [])
    body.push(Buffer.alloc(1))
    assert.deepEqual(calls, ['pause'])
    body.deliver(createSink(9))
    assert.deepEqual(calls, ['pause', 'resume'])
  })

  it('can be peeked at, and is delivered from its first byte afterwards', async () => {
    const { body } = openBody()
    body.push(bytes('ab'))
    const peeked = body.peek(4)
    body.push(bytes('cd'))
    body.complete()
    assert.deepEqual(await peeked, bytes('abcd'))
    assert.deepEqual(await buffer(body), bytes('abcd'))
  })

  it('is not peeked at when it is too long, late, broken or destroyed', async () => {
    const long = openBody().body
    long.push(bytes('abcde'))
    assert.equal(await long.peek(4), undefined)
    assert.equal(await openBody().body.peek(4, 1), undefined)
    const broken = openBody().body
    const peeked = broken.peek(4)
    broken.fail(new EgressError('unreachable', 'closed'))
    assert.equal(await peeked, undefined)
    const sink = createSink(1)
    broken.deliver(sink)
    assert.deepEqual(sink.received, ['(unreachable)'])
    const destroyed = openBody().body
    destroyed.destroy()
    assert.equal(await destroyed.peek(4), undefined)
  })

  it('reports its end once, and nothing to its sink after it was destroyed', () => {
    const { body, calls } = openBody()
    const ends: unknown[] = []
    body.onEnd((failure) => ends.push(failure))
    const sink = createSink(1)
    body.deliver(sink)
    body.push(bytes('a'))
    body.destroy()
    body.push(bytes('b'))
    body.complete()
    body.destroy()
    body.onEnd((failure) => ends.push(failure))
    assert.deepEqual([sink.received, ends], [['a'], [undefined, undefined]])
    assert.deepEqual(calls, ['pause', 'abort'])
    assert.equal(body.isBroken, true)
  })
})
