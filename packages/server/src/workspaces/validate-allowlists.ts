import type { FieldError, FieldErrors } from '../errors.ts'

/**
 * Faults of a list of addresses that people may be sent back to, each at its place. An entry that no `redirectURL` can
 * ever equal is refused: a list that looks right and lets nobody through is met by the first customer.
 *
 * An entry is https, or http on loopback in its normal form; without user, fragment, blanks, backslash and `*`, since
 * entries are compared character by character.
 */
export function validateRedirectUrls(field: string, urls: readonly string[]): FieldErrors {
  return validateEach(field, urls, redirectUrlError)
}

/** The same for origins that may hold a page in a frame: exactly as browsers send them. */
export function validateFrameOrigins(field: string, origins: readonly string[]): FieldErrors {
  return validateEach(field, origins, originError)
}

function validateEach(
  field: string,
  values: readonly string[],
  findError: (value: string) => string | undefined,
): FieldErrors {
  const errors = values.flatMap((value, index): [string, FieldError[]][] => {
    const message = findError(value)
    return message === undefined ? [] : [[`${field}.${index}`, [{ code: 'invalid', message }]]]
  })
  return Object.fromEntries(errors)
}

function redirectUrlError(value: string): string | undefined {
  const url = URL.parse(value)
  if (url === null || !/^https?:\/\/[^/?#]/.test(value))
    return 'Must be a whole URL, such as https://app.example.com/connected.'
  if (value.includes('*')) return 'Must be one exact URL: * stands for nothing else here.'
  if (value.includes('#')) return 'Must have no fragment: it would be lost on the way back.'
  if (/[\s\\]/.test(value)) return 'Must have no blanks and no backslash.'
  if (value.includes('@') || url.username !== '' || url.password !== '')
    return 'Must have no user name, no password and no @. Write %40 for one in the path.'
  if (url.protocol === 'https:') return undefined
  if (!isLoopback(url.hostname)) return 'Must be https. Plain http is for loopback only.'
  return [value, `${value}/`].includes(url.href)
    ? undefined
    : 'Must be written as browsers write it: lower-case host, no default port, no . or .. in the path.'
}

function originError(value: string): string | undefined {
  if (value.includes('*')) return 'Must be one exact origin: * stands for nothing here.'
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol))
    return 'Must be an origin, such as https://app.example.com.'
  if (url.origin !== value)
    return 'Must be scheme, host and port only, as browsers send it: lower case, no default port, no path, no slash at the end, other alphabets as xn--.'
  // Content-Security-Policy knows no IPv6 hosts; every other sign would end the source or the directive.
  if (!/^[a-z0-9._-]+$/.test(url.hostname)) return 'Must have a host name or an IPv4 address.'
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return 'Must be https. Plain http is for loopback only.'
  return undefined
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
}
