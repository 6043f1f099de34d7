import 'core-js/actual/url'
import 'core-js/actual/url-search-params'

const PlainURL = globalThis.URL

/** URL of the WHATWG standard, with Node's code on the error. */
export class URL extends PlainURL {
  constructor(...given) {
    try {
      super(...given)
    } catch (cause) {
      if (given.length === 0) throw cause
      const details = { code: 'ERR_INVALID_URL', input: `${given[0]}` }
      throw Object.assign(new TypeError('Invalid URL'), details)
    }
  }
  static parse(...given) {
    return PlainURL.canParse(...given) ? new URL(...given) : null
  }
}
