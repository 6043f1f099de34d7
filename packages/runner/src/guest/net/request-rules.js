import { denied } from '../node/denied.js'

const token = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/
const unsendable = /[^\u0021-\u00ff]/

/** Throws what Node throws for request options that it does not send. */
export function checkRequest(options, protocol, expected) {
  if (options.socketPath) denied('socketPath')
  if (options.method && !token.test(options.method)) {
    const error = new TypeError(`Method must be a valid HTTP token ["${options.method}"]`)
    throw Object.assign(error, { code: 'ERR_INVALID_HTTP_TOKEN' })
  }
  if (options.path && unsendable.test(options.path)) {
    const error = new TypeError('Request path contains unescaped characters')
    throw Object.assign(error, { code: 'ERR_UNESCAPED_CHARACTERS' })
  }
  if (protocol !== expected) {
    const error = new TypeError(`Protocol "${protocol}" not supported. Expected "${expected}"`)
    throw Object.assign(error, { code: 'ERR_INVALID_PROTOCOL' })
  }
}

/** The error of a connection that ended too early. */
export function hungUp(message) {
  return Object.assign(new Error(message), { code: 'ECONNRESET' })
}
