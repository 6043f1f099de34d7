import { systemErrors as list } from 'node-constants'

/** Node's errors of the system, by number. */
export const systemErrors = new Map(list)

/** What the host said went wrong, as the error that Node's sockets give for it (`host` and `port` are those asked for). */
export function socketError({ code, message }, url) {
  const { hostname, port, protocol } = new URL(url)
  const errno = numberOf(code)
  if (code === 'ECONNRESET') return Object.assign(new Error('socket hang up'), { code })
  if (/^getaddrinfo /.test(message)) {
    return Object.assign(new Error(message), { errno, code, syscall: 'getaddrinfo', hostname })
  }
  if (!/^connect /.test(message) || errno === undefined) {
    return Object.assign(new Error(message), { code })
  }
  const address = hostname.replace(/^\[|\]$/g, '')
  const number = Number(port) || (protocol === 'https:' ? 443 : 80)
  const error = new Error(`connect ${code} ${address}:${number}`)
  return Object.assign(error, { errno, code, syscall: 'connect', address, port: number })
}

/** The same as the `cause` of a failed fetch, which has words of its own for a connection that ends. */
export function fetchCause(failure, url) {
  const error = socketError(failure, url)
  if (error.code !== 'ECONNRESET') return error
  const values = { name: 'SocketError', code: 'UND_ERR_SOCKET' }
  return Object.assign(new Error('other side closed'), values)
}

function numberOf(code) {
  for (const [number, [name]] of systemErrors) if (name === code) return number
  return undefined
}
