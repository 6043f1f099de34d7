import EventEmitter from 'events'
import { denied } from '../node/denied.js'

/** An agent is only a place for options here: the host keeps the connections. */
export class Agent extends EventEmitter {
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

export class HttpsAgent extends Agent {
  constructor(options) {
    super(options)
    this.defaultPort = 443
    this.protocol = 'https:'
  }
}
