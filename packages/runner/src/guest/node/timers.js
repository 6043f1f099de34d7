import { apply, post } from '../bindings/post.js'

import { nextTick } from '../bindings/ticks.js'
import { abortError, nodeError } from './node-error.js'

const pending = { __proto__: null }
const promisified = Symbol.for('nodejs.util.promisify.custom')
let lastId = 0
let running

/** What setTimeout and setInterval answer. */
export class Timeout {
  constructor(callback, delay, args, repeats) {
    this._id = ++lastId
    this._callback = callback
    this._delay = delay
    this._args = args
    this._repeats = repeats
    start(this)
  }
  ref() {
    return this
  }
  unref() {
    return this
  }
  hasRef() {
    return true
  }
  refresh() {
    clearTimeout(this)
    start(this)
    return this
  }
  close() {
    clearTimeout(this)
    return this
  }
  [Symbol.toPrimitive]() {
    return this._id
  }
}

/** What setImmediate answers. */
export class Immediate extends Timeout {}

export function setTimeout(callback, delay, ...args) {
  return new Timeout(checked(callback), milliseconds(delay), args, false)
}

export function setInterval(callback, delay, ...args) {
  return new Timeout(checked(callback), milliseconds(delay), args, true)
}

export function setImmediate(callback, ...args) {
  return new Immediate(checked(callback), 0, args, false)
}

export function clearTimeout(timer) {
  const id = typeof timer === 'object' && timer !== null ? timer._id : timer
  if (running && running._id === +id) running._repeats = false
  if (id === undefined || !pending[id]) return
  delete pending[id]
  post('clear', +id)
}

export const clearInterval = clearTimeout
export const clearImmediate = clearTimeout

/** Runs timer `id`, when it was not cleared meanwhile. */
export function fireTimer(id) {
  const timer = pending[id]
  if (!timer) return
  delete pending[id]
  running = timer
  try {
    apply(timer._callback, timer, timer._args)
  } finally {
    running = undefined
    if (timer._repeats && !pending[id]) start(timer)
  }
}

/** `timers/promises`. */
export const promises = {
  setTimeout: (delay, value, options) => wait(setTimeout, [delay], value, options),
  setImmediate: (value, options) => wait(setImmediate, [], value, options),
  async *setInterval(delay, value, options) {
    for (;;) yield await promises.setTimeout(delay, value, options)
  },
  scheduler: {
    wait: (delay, options) => promises.setTimeout(delay, undefined, options),
    yield: () => promises.setImmediate(),
  },
}

Object.defineProperty(setTimeout, promisified, { value: promises.setTimeout })
Object.defineProperty(setImmediate, promisified, { value: promises.setImmediate })

function start(timer) {
  pending[timer._id] = timer
  post('timer', timer._id, `${timer._delay}`)
}

function checked(callback) {
  if (typeof callback === 'function') return callback
  const message = 'The "callback" argument must be of type function.'
  throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', message)
}

function milliseconds(delay) {
  const number = +delay
  return number >= 1 && number <= 2147483647 ? Math.trunc(number) : 1
}

function wait(timer, delay, value, options) {
  const signal = options?.signal
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortError(signal.reason))
    const handle = timer(
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve(value)
      },
      ...delay,
    )
    function onAbort() {
      clearTimeout(handle)
      nextTick(reject, abortError(signal.reason))
    }
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
