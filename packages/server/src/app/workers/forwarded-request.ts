import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { MainAddress } from './messages.ts'

/** What the main process could not see of a request that a worker forwards. */
interface Origin {
  readonly address: string | undefined
  readonly httpVersion: string
  /** The client sent no body and no length: the worker added `Content-Length: 0`. */
  readonly isLengthAdded: boolean
}

const HEADER = 'x-linchpin-origin'
/** Headers of one connection (RFC 9110, section 7.6.1). */
const CONNECTION_HEADERS = ['connection', 'keep-alive', 'proxy-connection', HEADER]

/** The headers with which a worker forwards a request, as Node's flat list of names and values. */
export function createForwardedHeaders(
  request: IncomingMessage,
  { secret }: MainAddress,
): string[] {
  const { headers, httpVersion, rawHeaders, socket } = request
  const isLengthAdded =
    headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  const origin: Origin = { address: socket.remoteAddress, httpVersion, isLengthAdded }
  return [
    ...removeHeaders(rawHeaders, CONNECTION_HEADERS),
    ...(isLengthAdded ? ['content-length', '0'] : []),
    ...[HEADER, `${secret} ${JSON.stringify(origin)}`],
  ]
}

/**
 * Makes a request that the main process received from a worker the same as the client's.
 *
 * @returns false if it does not come from a worker
 */
export function restoreRequest(request: IncomingMessage, { secret }: MainAddress): boolean {
  const [presented = '', text = ''] = splitOnce(String(request.headers[HEADER] ?? ''))
  if (!timingSafeEqual(hash('sha256', presented, 'buffer'), hash('sha256', secret, 'buffer')))
    return false
  const { address, httpVersion, isLengthAdded } = JSON.parse(text) as Origin
  const added = isLengthAdded ? [HEADER, 'content-length'] : [HEADER]
  for (const name of added) delete request.headers[name]
  request.rawHeaders = removeHeaders(request.rawHeaders, added)
  request.httpVersion = httpVersion
  // A worker sends one request at a time on a connection.
  Object.defineProperty(request.socket, 'remoteAddress', { value: address, configurable: true })
  return true
}

/** Removes headers from a flat list of names and values. */
export function removeHeaders(list: readonly string[], names: readonly string[]): string[] {
  return list.filter((_, index) => !names.includes(list[index - (index % 2)]?.toLowerCase() ?? ''))
}

function splitOnce(text: string): [string, string] {
  const space = text.indexOf(' ')
  return [text.slice(0, space), text.slice(space + 1)]
}
