/** Whether a host, in the form of `URL.hostname`, is a loopback name or address. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Whether each % sequence of a part of a URL is one of UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Where a transit engine has a key. */
export interface TransitKeyLocation {
  /** The URL of the engine's API, such as `https://vault.internal:8200/v1/transit`. */
  readonly engineUrl: string
  readonly name: string
}

/**
 * Parses the URL of a transit key, as the HTTP API of Vault and OpenBao names it: `https://HOST/v1/MOUNT/keys/NAME`.
 * With http, who reads the network has the key ring and the token, so only a loopback host may have it.
 *
 * @throws Error whose message completes "NAME: …"
 */
export function parseTransitKey(text: string): TransitKeyLocation {
  const url = URL.parse(text)
  const [, mount, name] = /^(\/v1\/[\w./-]+)\/keys\/([\w.-]+)$/.exec(url?.pathname ?? '') ?? []
  if (url === null || mount === undefined || name === undefined || !isPlain(url))
    throw new Error('must be https://HOST/v1/MOUNT/keys/NAME, without user and query.')
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new Error('must begin with https: http is for an agent on localhost only.')
  return { engineUrl: url.origin + mount, name }
}

function isPlain({ protocol, username, password, search, hash }: URL): boolean {
  return /^https?:$/.test(protocol) && username + password + search + hash === ''
}
