import 'core-js/actual/atob'
import 'core-js/actual/btoa'
import 'core-js/actual/structured-clone'
import * as webStreams from 'web-streams-polyfill'
import { intl, speakIntl } from './intl/intl.js'
import { Buffer, bufferModule } from './node/buffer.js'
import { CryptoKey, webcrypto } from './node/crypto.js'

import { hide } from './properties.js'
import { Blob, File, FormData } from './web/blob.js'
import { Request, Response } from './web/body.js'
import { TextDecoder, TextDecoderStream, TextEncoder, TextEncoderStream } from './web/encoding.js'
import { MessageChannel, MessageEvent, MessagePort } from './web/event-target.js'
import { fetch } from './web/fetch.js'
import { Headers } from './web/headers.js'

import { formatStacksAsNode } from './web/language-gaps.js'
import { URL } from './web/url.js'

// The rest of Node's globals; what it lacks here (WebAssembly, WebSocket) stays absent.
hide(globalThis, { Buffer, TextDecoder, TextEncoder, Blob, File, FormData })
hide(globalThis, { fetch, Headers, Request, Response, URL, crypto: webcrypto })
hide(globalThis, { ...webStreams, TextEncoderStream, TextDecoderStream })
Object.assign(bufferModule, { Blob, File })
hide(globalThis, { Intl: intl, MessageChannel, MessageEvent, MessagePort, CryptoKey })
hide(globalThis, { navigator: machine() })
speakIntl()
formatStacksAsNode()

// SDKs send it as their User-Agent.
function machine() {
  const userAgent = `Node.js/${process.versions.node.split('.')[0]}`
  const language = 'en-US'
  const platform = 'Linux x86_64'
  return { hardwareConcurrency: 1, language, languages: [language], platform, userAgent }
}
