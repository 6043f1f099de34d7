/**
 * The readable half of the WHATWG Streams standard: enough to make, read, iterate, tee and pipe streams. There are no
 * byte streams with buffers of the reader's own.
 */
export class ReadableStream {
  #queue = []
  #waiting = []
  #source
  #state = 'readable'
  #reason
  #reader
  #started
  #pulling = false
  constructor(source = {}) {
    this.#source = source ?? {}
    const controller = {
      desiredSize: 1,
      enqueue: (chunk) => this.#enqueue(chunk),
      close: () => this.#end('closed'),
      error: (reason) => this.#end('errored', reason),
    }
    this.#started = Promise.resolve(this.#source.start?.(controller)).catch((error) => {
      this.#end('errored', error)
    })
    this.controller = controller
    Object.defineProperty(this, 'controller', { enumerable: false })
  }
  static from(iterable) {
    const iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]()
    return new ReadableStream({
      async pull(controller) {
        const { value, done } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(await value)
      },
      cancel: (reason) => iterator.return?.(reason),
    })
  }
  get locked() {
    return this.#reader !== undefined
  }
  getReader(options) {
    if (options?.mode === 'byob') throw new TypeError('This stream has no byte source')
    if (this.#reader) throw lockedError()
    const closed = new Promise((resolve, reject) => this.#whenEnded(resolve, reject))
    closed.catch(() => {})
    const reader = {
      closed,
      read: () => (this.#reader === reader ? this.#read() : Promise.reject(lockedError())),
      cancel: (reason) => this.#cancel(reason),
      releaseLock: () => {
        if (this.#reader === reader) this.#reader = undefined
      },
    }
    this.#reader = reader
    return reader
  }
  async cancel(reason) {
    if (this.#reader) throw lockedError()
    await this.#cancel(reason)
  }
  tee() {
    const reader = this.getReader()
    const branches = []
    const pull = async () => {
      const { value, done } = await reader.read()
      for (const branch of branches) {
        if (done) branch.controller.close()
        else branch.controller.enqueue(value)
      }
    }
    branches.push(new ReadableStream({ pull }), new ReadableStream({ pull }))
    return branches
  }
  async pipeTo(target) {
    const writer = target.getWriter()
    for await (const chunk of this) await writer.write(chunk)
    await writer.close()
  }
  pipeThrough({ writable, readable }) {
    this.pipeTo(writable).catch(() => {})
    return readable
  }
  async *values() {
    const reader = this.getReader()
    try {
      for (;;) {
        const { value, done } = await reader.read()
        if (done) return
        yield value
      }
    } finally {
      reader.releaseLock()
      if (this.#state === 'readable') await this.#cancel()
    }
  }
  [Symbol.asyncIterator]() {
    return this.values()
  }

  #ended = []
  #whenEnded(resolve, reject) {
    const settle = () => (this.#state === 'errored' ? reject(this.#reason) : resolve())
    if (this.#state === 'readable') this.#ended.push(settle)
    else settle()
  }
  #enqueue(chunk) {
    if (this.#state !== 'readable')
      throw new TypeError('Invalid state: Controller is already closed')
    const waiter = this.#waiting.shift()
    if (waiter) waiter.resolve({ value: chunk, done: false })
    else this.#queue.push(chunk)
  }
  #end(state, reason) {
    if (this.#state !== 'readable') return
    this.#state = state
    this.#reason = reason
    if (state === 'errored') this.#queue = []
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (state === 'errored') reject(reason)
      else resolve({ value: undefined, done: true })
    }
    for (const settle of this.#ended.splice(0)) settle()
  }
  #read() {
    if (this.#queue.length > 0) return Promise.resolve({ value: this.#queue.shift(), done: false })
    if (this.#state === 'errored') return Promise.reject(this.#reason)
    if (this.#state === 'closed') return Promise.resolve({ value: undefined, done: true })
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#pull()
    })
  }
  async #pull() {
    if (this.#pulling) return
    this.#pulling = true
    try {
      await this.#started
      while (this.#waiting.length > 0 && this.#state === 'readable' && this.#source.pull) {
        await this.#source.pull(this.controller)
      }
    } catch (error) {
      this.#end('errored', error)
    }
    this.#pulling = false
  }
  async #cancel(reason) {
    this.#queue = []
    this.#end('closed')
    await this.#source.cancel?.(reason)
  }
}

Object.defineProperty(ReadableStream.prototype, Symbol.toStringTag, {
  value: 'ReadableStream',
  configurable: true,
})

/** A stream of one chunk. */
export function streamOf(bytes) {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes)
      controller.close()
    },
  })
}

function lockedError() {
  return new TypeError('Invalid state: ReadableStream is locked')
}
