import { ReadableStream } from './readable-stream.js'

/** The writable half of the WHATWG Streams standard, one chunk after the other and without back-pressure. */
export class WritableStream {
  #sink
  #controller
  #writer
  #last
  constructor(sink = {}) {
    this.#sink = sink ?? {}
    this.#controller = {
      error: (reason) => this.#fail(reason),
      signal: new AbortController().signal,
    }
    this.#last = Promise.resolve(this.#sink.start?.(this.#controller))
    this.#last.catch(() => {})
  }
  get locked() {
    return this.#writer !== undefined
  }
  getWriter() {
    if (this.#writer) throw new TypeError('Invalid state: WritableStream is locked')
    const done = Promise.withResolvers()
    done.promise.catch(() => {})
    const writer = {
      ready: Promise.resolve(),
      closed: done.promise,
      desiredSize: 1,
      write: (chunk) => this.#then(() => this.#sink.write?.(chunk, this.#controller)),
      close: () =>
        this.#then(() => this.#sink.close?.()).then(done.resolve, (reason) => {
          done.reject(reason)
          throw reason
        }),
      abort: (reason) => this.abort(reason),
      releaseLock: () => {
        this.#writer = undefined
      },
    }
    this.#writer = writer
    return writer
  }
  async close() {
    await this.#then(() => this.#sink.close?.())
  }
  async abort(reason) {
    this.#fail(reason)
    await this.#sink.abort?.(reason)
  }
  #then(work) {
    this.#last = this.#last.then(work)
    this.#last.catch(() => {})
    return this.#last.then(() => undefined)
  }
  #fail(reason) {
    this.#last = Promise.reject(reason)
    this.#last.catch(() => {})
  }
}

/** A writable side whose chunks come out, transformed, at a readable one. */
export class TransformStream {
  constructor(transformer = {}) {
    let inner
    this.readable = new ReadableStream({
      start(controller) {
        inner = controller
      },
    })
    const controller = {
      desiredSize: 1,
      enqueue: (chunk) => inner.enqueue(chunk),
      error: (reason) => inner.error(reason),
      terminate: () => inner.close(),
    }
    const pass = (chunk) => inner.enqueue(chunk)
    this.writable = new WritableStream({
      start: () => transformer?.start?.(controller),
      write: (chunk) =>
        transformer?.transform ? transformer.transform(chunk, controller) : pass(chunk),
      async close() {
        await transformer?.flush?.(controller)
        inner.close()
      },
      abort: (reason) => inner.error(reason),
    })
  }
}

for (const type of [WritableStream, TransformStream]) {
  const tag = { value: type.name, configurable: true }
  Object.defineProperty(type.prototype, Symbol.toStringTag, tag)
}
