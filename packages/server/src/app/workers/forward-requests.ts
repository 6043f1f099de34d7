import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { pipeline } from 'node:stream'
import { createForwardedHeaders, removeHeaders } from './forwarded-request.ts'
import type { MainAddress } from './messages.ts'

/** Sends requests to the main process, and its responses to the clients. */
export interface Forwarder {
  forward(request: IncomingMessage, response: ServerResponse): void
  close(): void
}

/**
 * Forwards requests unchanged: neither their bodies nor the responses are read here. When the main process does not answer,
 * the connection of the client breaks, as it does when a service that has one process dies.
 */
export function createForwarder(mainAddress: MainAddress): Forwarder {
  // The main process never closes an idle connection, so none can break between two requests.
  const agent = new Agent({ keepAlive: true })
  const startRequest = (incoming: IncomingMessage) => {
    try {
      return request({
        agent,
        socketPath: mainAddress.socketPath,
        method: incoming.method,
        path: incoming.url,
        headers: createForwardedHeaders(incoming, mainAddress),
        setDefaultHeaders: false,
        maxHeaderSize: MAX_RESPONSE_HEADERS,
      })
    } catch {
      // Node's client is stricter than its parser: no request may end this process.
      return undefined
    }
  }
  return {
    forward(incoming, response) {
      const outgoing = startRequest(incoming)
      if (outgoing === undefined) return void response.destroy()
      outgoing.on('response', (answer) => sendAnswer(answer, response))
      outgoing.on('error', () => {
        // A response that has begun is ended by its own stream.
        if (!response.headersSent) response.destroy()
      })
      response.on('close', () => {
        if (!response.writableFinished) outgoing.destroy()
      })
      sendBody(incoming, outgoing)
    },
    close: () => agent.destroy(),
  }
}

/** Providers may send large headers through the proxy. */
const MAX_RESPONSE_HEADERS = 256 * 1024

function sendBody(incoming: IncomingMessage, outgoing: ClientRequest): void {
  incoming.on('error', () => outgoing.destroy())
  incoming.pipe(outgoing)
  // The main process may answer before it has read the body: the rest is read and dropped, as Node does.
  outgoing.on('close', () => {
    incoming.unpipe(outgoing)
    incoming.resume()
  })
}

function sendAnswer(answer: IncomingMessage, response: ServerResponse): void {
  const { statusCode = 502, statusMessage, rawHeaders, headers } = answer
  const isLast = headers.connection === 'close'
  const forwarded = removeHeaders(rawHeaders, ['connection', 'keep-alive', 'transfer-encoding'])
  response.writeHead(
    statusCode,
    statusMessage,
    isLast ? [...forwarded, 'connection', 'close'] : forwarded,
  )
  pipeline(answer, response, () => {})
}
