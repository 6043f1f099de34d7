import { nodeError } from '../node/node-error.js'
import { apply, describeError, post, queueJob, stringifyJson } from './post.js'

let first
let last
let depth = 0
let flushQueued = false

/** `process.nextTick`: runs before the promise jobs of the host's call that it was made in. */
export function nextTick(callback, ...args) {
  if (typeof callback !== 'function') {
    const message = 'The "callback" argument must be of type function.'
    throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', message)
  }
  const tick = { __proto__: null, callback, args, next: undefined }
  if (last) last.next = tick
  else first = tick
  last = tick
  if (depth === 0 && !flushQueued) {
    flushQueued = true
    queueJob(flush)
  }
}

/** Runs `work` as one turn of the event loop, then the ticks. An error that nothing catches ends the call. */
export function turn(work) {
  depth++
  try {
    work()
    if (depth === 1) drain()
  } catch (error) {
    uncaught(error)
  } finally {
    depth--
  }
}

/** `queueMicrotask`, with uncaught errors ending the call as they end a process. */
export function queueMicrotask(callback) {
  if (typeof callback !== 'function')
    throw new TypeError('The "callback" argument must be a function.')
  queueJob(() => {
    try {
      callback()
    } catch (error) {
      uncaught(error)
    }
  })
}

/** Ends the call with an error that nobody caught. */
export function uncaught(thrown) {
  const { name, message } = describeError(thrown)
  post('fail', 0, stringifyJson({ __proto__: null, name, message, kind: 'threw' }))
}

function flush() {
  flushQueued = false
  turn(() => {})
}

function drain() {
  while (first) {
    const tick = first
    first = tick.next
    if (!first) last = undefined
    apply(tick.callback, undefined, tick.args)
  }
}
