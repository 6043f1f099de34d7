import stream from 'node:stream'
import EventEmitter from 'events'
import statusCodes from 'statuses/codes.json'
import { callable } from '../node/callable.js'
import { denied, deniedMembers } from '../node/denied.js'
import { ClientRequest, readArguments } from './client-request.js'
import { validateHeaderName, validateHeaderValue } from './headers.js'
import { IncomingMessage } from './incoming-message.js'

const METHODS = `ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY
  MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY
  REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE`.split(/\s+/)

/** An agent is only a place for options here: the host keeps the connections. */
class Agent extends EventEmitter {
  constructor(options) {
    super()
    this.options = { ...options, path: null }
    this.defaultPort = 80
    this.protocol = 'http:'
    this.keepAlive = !!options?.keepAlive
    this.keepAliveMsecs = options?.keepAliveMsecs ?? 1000
    this.maxSockets = options?.maxSockets ?? Infinity
    this.maxFreeSockets = options?.maxFreeSockets ?? 256
    this.maxTotalSockets = options?.maxTotalSockets ?? Infinity
    this.requests = {}
    this.sockets = {}
    this.freeSockets = {}
  }
  getName(options = {}) {
    return `${options.host || 'localhost'}:${options.port || ''}:${options.localAddress || ''}`
  }
  createConnection() {
    denied('Agent.createConnection')
  }
  addRequest() {}
  destroy() {}
}

/** `new http.ClientRequest(url, options, callback)`. */
class PublicClientRequest extends ClientRequest {
  constructor(...given) {
    const { options, callback } = readArguments(...given)
    super(options, callback, 'http:')
  }
  static [Symbol.hasInstance](value) {
    return value instanceof ClientRequest
  }
}

/** The modules `http` and `https`: clients only. */
export const http = clientModule('http', callable(Agent))

class HttpsAgent extends Agent {
  constructor(options) {
    super(options)
    this.defaultPort = 443
    this.protocol = 'https:'
  }
}

export const https = clientModule('https', callable(HttpsAgent))

function clientModule(name, AgentClass) {
  const globalAgent = new AgentClass({
    keepAlive: true,
    scheduling: 'lifo',
    timeout: 5000,
  })
  const request = (...given) => {
    const { options, callback } = readArguments(...given)
    if (options.agent === undefined || options.agent === null) options.agent = module.globalAgent
    return new ClientRequest(options, callback, `${name}:`)
  }
  const get = (...given) => request(...given).end()
  const servers = deniedMembers(name, 'createServer Server')
  const module = { Agent: AgentClass, globalAgent, ...servers, request, get }
  return name === 'https' ? module : Object.assign(module, httpOnly())
}

function httpOnly() {
  return {
    METHODS,
    STATUS_CODES: statusCodes,
    maxHeaderSize: 16384,
    ClientRequest: PublicClientRequest,
    IncomingMessage,
    OutgoingMessage: class OutgoingMessage extends stream.Writable {},
    ServerResponse: class ServerResponse extends stream.Writable {},
    validateHeaderName,
    validateHeaderValue,
    setMaxIdleHTTPParsers() {},
  }
}
