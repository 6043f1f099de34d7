import { createScrubber } from '@linchpin/runner'
import type { AuthQuery } from '../accounts/token-refresh/auth-headers/bundle-headers.ts'
import type { ProxyTarget } from './proxy-target.ts'

/** The target with the credentials in its query. They replace the caller's parameters of the same names. */
export function addAuthQuery(target: ProxyTarget, query: AuthQuery): ProxyTarget {
  if (Object.keys(query).length === 0) return target
  const [, path = '', own = ''] = /^([^?]*)\??(.*)$/s.exec(target.requestTarget) ?? []
  const others = own
    .split('&')
    .filter((pair) => pair !== '' && !Object.hasOwn(query, getName(pair)))
  const added = Object.entries(query).map((pair) => pair.map(encodeStrictly).join('='))
  const requestTarget = `${path}?${[...others, ...added].join('&')}`
  return { ...target, requestTarget, url: new URL(requestTarget, target.url).href }
}

/** As forms are decoded (WHATWG URL, section 5.1). */
function getName(pair: string): string {
  return [...new URLSearchParams(pair).keys()][0] ?? ''
}

function encodeStrictly(text: string): string {
  const escapeCharacter = (character: string) =>
    `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text).replace(/[!'()*]/g, escapeCharacter)
}

/**
 * The headers of a response without the credentials: providers repeat the query of a request in `Location` and `Link`. The next
 * request through the proxy adds them again.
 *
 * @param rawHeaders flat list of names and values, as received
 */
export function removeAuthQuery(
  rawHeaders: readonly string[],
  query: AuthQuery,
): readonly string[] {
  const names = Object.keys(query).flatMap((name) => [name, encodeStrictly(name)])
  if (names.length === 0) return rawHeaders
  const alternatives = names.map((name) => RegExp.escape(name)).join('|')
  const parameter = new RegExp(`(?<=[?&])(?:${alternatives})=[^&#\\s<>"',;]*&?`, 'g')
  const scrub = createScrubber(Object.values(query), MAX_HEADER_LENGTH, { wholeOnly: true })
  return rawHeaders.map((text, index) => {
    if (index % 2 === 0) return text
    const shorter = text.replace(parameter, '')
    const whole = shorter === text ? text : shorter.replace(/[?&](?=$|[#\s<>"',;])/g, '')
    return scrub(whole) ?? ''
  })
}

/** Of all headers together, as Node limits them. */
const MAX_HEADER_LENGTH = 64 * 1024
