import stream from 'node:stream'
import { denied, deniedMembers } from './denied.js'

class JSStreamSocket {}

// http2-wrapper makes one over a plain stream while it loads, to learn the class of its handle.
class TLSSocket extends stream.Duplex {
  _handle = { _parentWrap: new JSStreamSocket() }
  constructor(socket) {
    if (socket === undefined || socket === null) denied('tls.TLSSocket')
    super()
  }
  _read() {
    denied('tls.TLSSocket')
  }
  _write() {
    denied('tls.TLSSocket')
  }
}

/** The module `tls`: names and constants; no connection can be made. */
export const tls = {
  ...deniedMembers('tls', 'connect createServer createSecureContext SecureContext Server'),
  TLSSocket,
  checkServerIdentity: () => undefined,
  getCiphers: () => [],
  rootCertificates: [],
  DEFAULT_CIPHERS: '',
  DEFAULT_ECDH_CURVE: 'auto',
  DEFAULT_MIN_VERSION: 'TLSv1.2',
  DEFAULT_MAX_VERSION: 'TLSv1.3',
}
