import 'core-js/actual/atob'
import 'core-js/actual/btoa'
import 'core-js/actual/structured-clone'
import * as webStreams from 'web-streams-polyfill'
import { intl, speakIntl } from './intl/intl.js'
import { Buffer, bufferModule } from './node/buffer.js'
import { CryptoKey, webcrypto } from './node/crypto.js'

import { Blob, File, FormData } from './web/blob.js'
import { Request, Response } from './web/body.js'
import { TextDecoder, TextDecoderStream, TextEncoder, TextEncoderStream } from './web/encoding.js'
import { MessageChannel, MessageEvent, MessagePort } from './web/event-target.js'
import { fetch } from './web/fetch.js'
import { Headers } from './web/headers.js'

import { formatStacksAsNode } from './web/language-gaps.js'
import { URL } from './web/url.js'

// The rest of Node's globals; what it lacks here (WebAssembly, WebSocket) stays absent.
hide({
  Buffer,
  TextDecoder,
  TextEncoder,
  Blob,
  File,
  FormData,
})
hide({ fetch, Headers, Request, Response, URL, crypto: webcrypto })
hide(webStreams)
hide({ TextEncoderStream, TextDecoderStream })
Object.assign(bufferModule, { Blob, File })
hide({ Intl: intl, MessageChannel, MessageEvent, MessagePort, CryptoKey })
hide({ navigator: machine() })
speakIntl()
formatStacksAsNode()

// SDKs send it as their User-Agent.
function machine() {
  const userAgent = `Node.js/${process.versions.node.split('.')[0]}`
  const language = 'en-US'
  return {
    hardwareConcurrency: 1,
    language,
    languages: [language],
    platform: 'Linux x86_64',
    userAgent,
  }
}

// Node's own globals are not enumerable either.
function hide(values) {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, {
      value,
      writable: true,
      configurable: true,
    })
  }
}
