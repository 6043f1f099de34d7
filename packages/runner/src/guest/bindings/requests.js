import { isArray, ownKeys, parseJson, post, setPrototypeOf, stringifyJson, toText } from './post.js'

const waiting = { __proto__: null }
let lastId = 0

/**
 * Hands a whole request to the host; exactly one of the callbacks is called, later, unless it is aborted.
 * `body` is an ArrayBuffer or undefined. Answers the id to abort it with.
 */
export function sendRequest({ method, url, headers, decompress, body }, onResponse, onFailure) {
  const id = ++lastId
  waiting[id] = { __proto__: null, onResponse, onFailure }
  const request = { __proto__: null, method, url, headers: plainHeaders(headers), decompress }
  try {
    post('request', id, stringifyJson(request), body)
  } catch (error) {
    delete waiting[id]
    throw error
  }
  return id
}

/** Tells the host that the answer of request `id` is not wanted any more. */
export function abortRequest(id) {
  if (!waiting[id]) return
  delete waiting[id]
  post('abort', id)
}

/** The `response` event: `json` is `{status, statusText, rawHeaders}`, `bytes` an ArrayBuffer or undefined. */
export function settleResponse(id, json, bytes) {
  const { onResponse } = take(id) ?? {}
  onResponse?.(parseJson(json), bytes)
}

/** The `failure` event: `json` is `{code, message}`. */
export function settleFailure(id, json) {
  const { onFailure } = take(id) ?? {}
  onFailure?.(parseJson(json))
}

function take(id) {
  const entry = waiting[id]
  delete waiting[id]
  return entry
}

// Without prototypes, so that a bundle's toJSON on Object.prototype or Array.prototype changes nothing.
function plainHeaders(headers) {
  const plain = { __proto__: null }
  const names = ownKeys(headers)
  for (let at = 0; at < names.length; at++) {
    const value = headers[names[at]]
    plain[names[at]] = isArray(value) ? plainList(value) : toText(value)
  }
  return plain
}

function plainList(values) {
  const list = []
  setPrototypeOf(list, null)
  for (let at = 0; at < values.length; at++) list[at] = toText(values[at])
  return list
}
