import stream from 'node:stream'
import EventEmitter from 'events'
import * as webStreams from 'web-streams-polyfill'
import { collect, decodeUtf8 } from '../web/bytes.js'
import { TextDecoderStream, TextEncoderStream } from '../web/encoding.js'
import { abortError } from './node-error.js'

const errorMonitor = Symbol('events.errorMonitor')
const captureRejections = Symbol.for('nodejs.rejection')
const packageEmit = EventEmitter.prototype.emit

/** The module `events`: the package, and what Node added after it. */
export const events = EventEmitter

// Listeners of `errorMonitor` see an error first and do not count as handling it.
EventEmitter.prototype.emit = function emit(type, ...given) {
  if (type === 'error' && this._events?.[errorMonitor]) {
    Reflect.apply(packageEmit, this, [errorMonitor, ...given])
  }
  return Reflect.apply(packageEmit, this, [type, ...given])
}

Object.assign(EventEmitter, {
  EventEmitter,
  errorMonitor,
  captureRejectionSymbol: captureRejections,
  captureRejections: false,
  on,
  getEventListeners: (emitter, type) => emitter.listeners?.(type) ?? [],
  getMaxListeners: (emitter) => emitter.getMaxListeners?.() ?? 10,
  setMaxListeners(count, ...emitters) {
    for (const emitter of emitters) emitter.setMaxListeners?.(count)
  },
  addAbortListener(signal, listener) {
    signal.addEventListener('abort', listener, { once: true })
    return {
      [Symbol.dispose ?? Symbol.for('dispose')]: () =>
        signal.removeEventListener('abort', listener),
    }
  },
})

async function* on(emitter, type, options) {
  const arrived = []
  let wake = () => {}
  const receive = (...given) => {
    arrived.push({ given })
    wake()
  }
  const fail = (error) => {
    arrived.push({ error })
    wake()
  }
  const abort = () => fail(abortError(options.signal.reason))
  emitter.on(type, receive)
  if (type !== 'error') emitter.on('error', fail)
  options?.signal?.addEventListener('abort', abort, { once: true })
  try {
    for (;;) {
      while (arrived.length === 0) await new Promise((resolve) => (wake = resolve))
      const { error, given } = arrived.shift()
      if (error) throw error
      yield given
    }
  } finally {
    emitter.off(type, receive)
    emitter.off('error', fail)
    options?.signal?.removeEventListener('abort', abort)
  }
}

stream.Readable.fromWeb = (source, options) => stream.Readable.from(source, options)
stream.Readable.toWeb = (source) => webStreams.ReadableStream.from(source)

export const streamPromises = {
  pipeline: stream.promises.pipeline,
  finished: stream.promises.finished,
}

export const streamWeb = {
  ...webStreams,
  TextEncoderStream,
  TextDecoderStream,
}

/** The module `stream/consumers`. */
export const streamConsumers = {
  arrayBuffer: async (source) => (await collect(source)).buffer,
  blob: async (source) => new Blob([await collect(source)]),
  buffer: async (source) => Buffer.from((await collect(source)).buffer),
  json: async (source) => JSON.parse(decodeUtf8(await collect(source))),
  text: async (source) => decodeUtf8(await collect(source)),
}
