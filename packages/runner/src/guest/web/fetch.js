import { abortRequest, sendRequest } from '../bindings/requests.js'
import { fetchCause } from '../net/socket-error.js'
import { makeResponse, Request } from './body.js'
import { Headers, spelledHeaders } from './headers.js'

const mostRedirects = 20
const withoutBody = new Set([204, 205, 304])
const ofTheBody = [
  'content-encoding',
  'content-language',
  'content-location',
  'content-type',
  'content-length',
]
const ofTheOrigin = ['authorization', 'proxy-authorization', 'cookie', 'host']

/** fetch of the Fetch standard with Node's defaults. Requests leave through the host; bodies are whole. */
export async function fetch(input, init) {
  const request = new Request(input, init)
  const { signal } = request
  if (signal.aborted) throw signal.reason
  const hop = {
    url: new URL(request.url),
    method: request.method,
    headers: new Headers(spelledHeaders(request.headers)),
    body: request.body ? await request.bytes() : undefined,
  }
  if (hop.url.protocol === 'data:') return dataResponse(hop.url)
  for (let redirects = 0; ; redirects++) {
    const answer = await exchange(hop, signal)
    const headers = readHeaders(answer.rawHeaders)
    const location = isRedirect(answer.status) ? headers.get('location') : null
    if (location === null || request.redirect === 'manual') {
      return respond(hop, answer, headers, redirects > 0)
    }
    if (request.redirect === 'error') throw failed(new Error('unexpected redirect'))
    if (redirects === mostRedirects) throw failed(new Error('redirect count exceeded'))
    follow(hop, answer.status, location)
  }
}

async function exchange({ url, method, headers, body }, signal) {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw failed(new Error('unknown scheme'))
  }
  if (signal.aborted) throw signal.reason
  const target = new URL(url)
  target.hash = ''
  return new Promise((resolve, reject) => {
    const stop = () => {
      abortRequest(id)
      reject(signal.reason)
    }
    const forget = () => signal.removeEventListener('abort', stop)
    const bytes = body?.length ? new Uint8Array(body).buffer : undefined
    const request = { method, url: target.href, headers: withDefaults(headers), decompress: true }
    const onAnswer = (answer, content) => {
      forget()
      resolve({ ...answer, content })
    }
    const onFailure = (failure) => {
      forget()
      reject(failed(fetchCause(failure, target.href)))
    }
    let id
    try {
      id = sendRequest({ ...request, body: bytes }, onAnswer, onFailure)
    } catch (cause) {
      return reject(failed(cause))
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}

function respond({ url, method }, answer, headers, redirected) {
  const empty = method === 'HEAD' || withoutBody.has(answer.status)
  const content = empty ? undefined : { bytes: new Uint8Array(answer.content ?? 0) }
  const { status, statusText = '' } = answer
  return makeResponse(content, {
    type: 'basic',
    url: url.href,
    redirected,
    status,
    statusText,
    headers,
  })
}

// Fetch standard, "HTTP-redirect fetch", steps 8 to 14.
function follow(hop, status, location) {
  const before = hop.url.origin
  try {
    hop.url = new URL(location, hop.url)
  } catch (cause) {
    throw failed(cause)
  }
  const toGet =
    status === 303 ? !['GET', 'HEAD'].includes(hop.method) : status < 303 && hop.method === 'POST'
  if (toGet) {
    hop.method = 'GET'
    hop.body = undefined
    for (const name of ofTheBody) hop.headers.delete(name)
  }
  if (hop.url.origin === before) return
  for (const name of ofTheOrigin) hop.headers.delete(name)
}

function withDefaults(headers) {
  const all = spelledHeaders(headers)
  const defaults = {
    accept: '*/*',
    'accept-language': '*',
    'sec-fetch-mode': 'cors',
    'user-agent': 'node',
    'accept-encoding': 'gzip, deflate',
  }
  for (const name of Object.keys(defaults)) {
    if (!headers.has(name)) all[name] = defaults[name]
  }
  return all
}

function readHeaders(raw) {
  const headers = new Headers()
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at], raw[at + 1])
  return headers
}

function dataResponse(url) {
  const [, type = '', base64, data] = /^data:([^,]*?)(;\s*base64)?,(.*)$/is.exec(url.href) ?? []
  if (data === undefined) throw failed(new Error('invalid data: URL'))
  const bytes = Buffer.from(decodeURIComponent(data), base64 ? 'base64' : 'utf8')
  const headers = new Headers({ 'content-type': type || 'text/plain;charset=US-ASCII' })
  const { href } = url
  return makeResponse(
    { bytes },
    { type: 'basic', url: href, status: 200, statusText: 'OK', headers },
  )
}

function isRedirect(status) {
  return [301, 302, 303, 307, 308].includes(status)
}

function failed(cause) {
  return new TypeError('fetch failed', { cause })
}
