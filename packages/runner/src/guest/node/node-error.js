import { hide } from '../properties.js'

/** An error of Node's own: with a code, which also stands in its text. */
export function nodeError(Type, code, message) {
  const error = Object.assign(new Type(message), { code })
  hide(error, { toString: () => `${error.name} [${code}]: ${error.message}` })
  return error
}

/** What Node rejects with when a signal ends a wait. */
export function abortError(cause) {
  const error = new Error('The operation was aborted', { cause })
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' })
}
