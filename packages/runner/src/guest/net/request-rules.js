import { denied } from '../node/denied.js'
import { nodeError } from '../node/node-error.js'

const token = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/
const unsendable = /[^\u0021-\u00ff]/

/** Throws what Node throws for request options that it does not send. */
export function checkRequest(options, protocol, expected) {
  if (options.socketPath) denied('socketPath')
  if (options.method && !token.test(options.method)) {
    throw nodeError(
      TypeError,
      'ERR_INVALID_HTTP_TOKEN',
      `Method must be a valid HTTP token ["${options.method}"]`,
    )
  }
  if (options.path && unsendable.test(options.path)) {
    throw nodeError(
      TypeError,
      'ERR_UNESCAPED_CHARACTERS',
      'Request path contains unescaped characters',
    )
  }
  if (protocol !== expected) {
    throw nodeError(
      TypeError,
      'ERR_INVALID_PROTOCOL',
      `Protocol "${protocol}" not supported. Expected "${expected}"`,
    )
  }
}

/** The error of a connection that ended too early. */
export function hungUp(message) {
  return Object.assign(new Error(message), { code: 'ECONNRESET' })
}

/** Destroys a request when the signal says so. Answers how to stop listening. */
export function followSignal(request, signal) {
  const stop = () => {
    const error = new Error('The operation was aborted', { cause: signal.reason })
    request.destroy(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }))
  }
  if (signal.aborted) process.nextTick(stop)
  else signal.addEventListener?.('abort', stop, { once: true })
  return () => signal.removeEventListener?.('abort', stop)
}
