import { type BodySink, type EgressBody, EgressError, type EgressStreamPolicy } from './egress.ts'

/** The connection that a body arrives on. */
export interface BodySource {
  pause(): void
  resume(): void
  abort(reason: Error): void
}

/** Limits of a body, as in the policy of the request. Without `idleMs`, only the deadline ends a pause of the server. */
export interface BodyLimits extends Pick<EgressStreamPolicy, 'onChunk' | 'pace'> {
  readonly maxResponseBytes: number
  readonly idleMs?: number | undefined
}

/**
 * The body of a response. The connection calls `push`, then `complete` or `fail`; chunks are passed on without a copy, as
 * soon as there is a sink.
 */
export class ResponseBody implements EgressBody {
  readonly #source: BodySource
  readonly #limits: BodyLimits
  readonly #idle: NodeJS.Timeout | undefined
  readonly #endListeners: ((failure: EgressError | undefined) => void)[] = []
  /** Chunks that have not been delivered. */
  readonly #queue: Uint8Array[] = []
  #queuedBytes = 0
  #receivedBytes = 0
  #state: 'open' | 'complete' | 'destroyed' | EgressError = 'open'
  #sink: BodySink | undefined
  #peek: (() => void) | undefined
  /** The sink does not want more for now. */
  #isHeld = false
  /** The policy makes the body wait. */
  #isPaced = false
  #isSourcePaused = false

  constructor(source: BodySource, limits: BodyLimits) {
    this.#source = source
    this.#limits = limits
    if (limits.idleMs !== undefined)
      this.#idle = setTimeout(() => this.#endIdle(limits.idleMs), limits.idleMs)
  }

  get isBroken(): boolean {
    return this.#state !== 'open' && this.#state !== 'complete'
  }

  deliver(sink: BodySink): void {
    this.#sink = sink
    if (this.#state instanceof EgressError) sink.fail(this.#state)
    else this.#flush()
  }

  resume(): void {
    this.#isHeld = false
    this.#flush()
  }

  async peek(maxBytes: number, waitMs?: number): Promise<Uint8Array | undefined> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = waitMs === undefined ? undefined : setTimeout(resolve, waitMs)
    this.#peek = () => {
      if (this.#state !== 'open' || this.#queuedBytes > maxBytes) resolve()
    }
    this.#peek()
    await promise
    clearTimeout(timer)
    this.#peek = undefined
    const isWhole = this.#state === 'complete' && this.#queuedBytes <= maxBytes
    return isWhole ? joinChunks(this.#queue) : undefined
  }

  onEnd(listener: (failure: EgressError | undefined) => void): void {
    if (this.#state === 'open') this.#endListeners.push(listener)
    else listener(this.#state instanceof EgressError ? this.#state : undefined)
  }

  destroy(): void {
    const wasOpen = this.#state === 'open'
    if (this.isBroken) return
    this.#discard('destroyed')
    if (wasOpen) this.#source.abort(new EgressError('aborted', 'the response is not needed'))
  }

  push(chunk: Uint8Array): void {
    // The parser of HTTP repeats the end of what it has parsed, without a byte, after each pause.
    if (this.#state !== 'open' || chunk.length === 0) return
    const { maxResponseBytes, onChunk, pace } = this.#limits
    this.#idle?.refresh()
    this.#receivedBytes += chunk.length
    if (this.#receivedBytes > maxResponseBytes) {
      this.abort(new EgressError('too_large', `more than ${maxResponseBytes} bytes received`))
      return
    }
    onChunk?.(chunk)
    this.#queue.push(chunk)
    this.#queuedBytes += chunk.length
    const pause = pace?.(chunk.length)
    if (pause !== undefined) this.#wait(pause)
    this.#flush()
    this.#peek?.()
  }

  complete(): void {
    if (this.#state !== 'open') return
    this.#end('complete')
    this.#flush()
  }

  /** The connection failed: what has not been delivered is discarded. */
  fail(error: EgressError): void {
    if (this.#state !== 'open') return
    this.#discard(error)
    this.#sink?.fail(error)
  }

  /** Closes the connection because of this error. */
  abort(error: EgressError): void {
    this.fail(error)
    this.#source.abort(error)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    let next = Promise.withResolvers<Uint8Array | undefined>()
    let failure: EgressError | undefined
    this.deliver({
      data: (chunk) => {
        next.resolve(chunk)
        return false
      },
      end: () => next.resolve(undefined),
      fail: (error) => {
        failure = error
        next.reject(error)
      },
    })
    try {
      for (let chunk = await next.promise; chunk !== undefined; chunk = await next.promise) {
        yield chunk
        if (failure !== undefined) throw failure
        next = Promise.withResolvers()
        this.resume()
      }
    } finally {
      this.destroy()
    }
  }

  #flush(): void {
    while (this.#sink !== undefined && !this.#isHeld && !this.#isPaced) {
      const chunk = this.#queue.shift()
      if (chunk === undefined) break
      this.#queuedBytes -= chunk.length
      this.#isHeld = !this.#sink.data(chunk)
    }
    if (this.#state === 'open') this.#applyBackpressure()
    else if (this.#state === 'complete' && this.#queue.length === 0 && !this.#isHeld) {
      const sink = this.#sink
      this.#sink = undefined
      sink?.end()
    }
  }

  #applyBackpressure(): void {
    const isFull = this.#sink === undefined && this.#queuedBytes >= MAX_QUEUED_BYTES
    const mustPause = this.#isHeld || this.#isPaced || isFull
    if (mustPause === this.#isSourcePaused) return
    this.#isSourcePaused = mustPause
    // May push the next chunk at once.
    if (mustPause) this.#source.pause()
    else this.#source.resume()
  }

  #wait(pause: Promise<void>): void {
    this.#isPaced = true
    void pause.then(() => {
      this.#isPaced = false
      this.#flush()
    })
  }

  #endIdle(idleMs: number | undefined): void {
    if (this.#isSourcePaused || this.#queue.length > 0) this.#idle?.refresh()
    else this.abort(new EgressError('timeout', `no data for ${idleMs} ms`))
  }

  #discard(state: 'destroyed' | EgressError): void {
    this.#queue.length = 0
    this.#queuedBytes = 0
    this.#end(state)
  }

  #end(state: 'complete' | 'destroyed' | EgressError): void {
    const wasOpen = this.#state === 'open'
    this.#state = state
    clearTimeout(this.#idle)
    this.#peek?.()
    if (!wasOpen) return
    const failure = state instanceof EgressError ? state : undefined
    for (const listener of this.#endListeners) listener(failure)
  }
}

/** What is received ahead of the sink. */
const MAX_QUEUED_BYTES = 64 * 1024

/** Collects a body. @throws the EgressError that it breaks off with */
export function collectBody(body: EgressBody): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const chunks: Uint8Array[] = []
  body.deliver({
    data(chunk) {
      chunks.push(chunk)
      return true
    },
    end: () => resolve(joinChunks(chunks)),
    fail: reject,
  })
  return promise
}

function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
}
