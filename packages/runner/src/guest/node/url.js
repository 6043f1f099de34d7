import punycode from 'punycode'
import legacy from 'url'
import { urlOptions } from '../net/client-request.js'
import { nodeError } from './node-error.js'

/** The module `url`: the classes of the standard, and Node's older functions from the package. */
export const url = {
  Url: legacy.Url,
  parse: legacy.parse,
  resolve: legacy.resolve,
  resolveObject: legacy.resolveObject,
  format,
  URL: globalThis.URL,
  URLSearchParams: globalThis.URLSearchParams,
  domainToASCII: (domain) => hostOf(domain),
  domainToUnicode: (domain) => punycode.toUnicode(hostOf(domain)),
  fileURLToPath,
  pathToFileURL: (path) =>
    new URL(`file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`),
  urlToHttpOptions: urlOptions,
}

function format(value, options) {
  if (!(value instanceof URL)) return legacy.format(value)
  const copy = new URL(value.href)
  if (options?.fragment === false) copy.hash = ''
  if (options?.search === false) copy.search = ''
  if (options?.auth === false) {
    copy.username = ''
    copy.password = ''
  }
  const host = options?.unicode ? punycode.toUnicode(copy.hostname) : copy.hostname
  return copy.href.replace(copy.hostname, host)
}

function hostOf(domain) {
  try {
    return new URL(`http://${domain}`).hostname
  } catch {
    return ''
  }
}

function fileURLToPath(value) {
  const parsed = new URL(value)
  if (parsed.protocol === 'file:') return decodeURIComponent(parsed.pathname)
  throw nodeError(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file')
}
