import EventEmitter from 'events'

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
  const abort = () =>
    fail(
      Object.assign(new Error('The operation was aborted'), {
        name: 'AbortError',
        code: 'ABORT_ERR',
      }),
    )
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
