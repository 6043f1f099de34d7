import stream from 'node:stream'
import statusCodes from 'statuses/codes.json'
import { callable } from '../node/callable.js'
import { deniedMembers } from '../node/denied.js'
import { Agent, HttpsAgent } from './agent.js'
import { ClientRequest } from './client-request.js'
import { validateHeaderName, validateHeaderValue } from './header-rules.js'
import { IncomingMessage } from './incoming-message.js'
import { readArguments } from './request-options.js'

const METHODS = `ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY
  MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY
  REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE`.split(/\s+/)

/** The modules `http` and `https`: clients only. */
export const http = clientModule('http', callable(Agent))
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
