import 'core-js/actual/url'
import 'core-js/actual/url-search-params'
import 'core-js/actual/atob'
import 'core-js/actual/btoa'
import 'core-js/actual/structured-clone'
import { Buffer } from 'buffer'
import { AbortController, AbortSignal } from './web/abort.js'
import { TextDecoder, TextEncoder } from './web/encoding.js'
import { CustomEvent, Event, EventTarget } from './web/event-target.js'

hide({ Buffer, AbortController, AbortSignal, TextDecoder, TextEncoder })
hide({ Event, EventTarget, CustomEvent })

// Node's own globals are not enumerable either.
function hide(values) {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
  }
}
