import type { FieldError, FieldErrors } from '../../platform/errors.ts'

/**
 * Returns the errors of a list of allowed redirect URLs, by index. An entry that no `redirectURL` can ever equal is
 * rejected: otherwise the mistake would go unnoticed until a customer is refused.
 *
 * An entry is an https URL, or a normalized http URL on loopback, without user, fragment, whitespace, backslash and
 * `*`, because entries are compared character by character.
 */
export function validateRedirectUrls(field: string, urls: readonly string[]): FieldErrors {
  return validateEach(field, urls, redirectUrlError)
}

/**
 * Returns the errors of a list of origins that may embed the page, by index. An origin must be written exactly as
 * browsers send it.
 */
export function validateFrameOrigins(field: string, origins: readonly string[]): FieldErrors {
  return validateEach(field, origins, findOriginError)
}

/** Returns the errors of a page of the product to which people are sent; none for an absent one. */
export function validateSignInUrl(field: string, url: string | undefined): FieldErrors {
  const message = url === undefined ? undefined : redirectUrlError(url)
  return message === undefined ? {} : { [field]: [{ code: 'invalid', message }] }
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
    return 'Must be an absolute URL, such as https://app.example.com/connected.'
  if (value.includes('*')) return 'Must be one exact URL; wildcards (*) are not supported.'
  if (value.includes('#')) return 'Must not contain a fragment: the redirect would drop it.'
  if (/[\s\\]/.test(value)) return 'Must not contain whitespace or backslashes.'
  if (value.includes('@') || url.username !== '' || url.password !== '')
    return 'Must not contain a user name, a password or @. Write @ in a path as %40.'
  if (url.protocol === 'https:') return undefined
  if (!isLoopback(url.hostname))
    return 'Must be https. http is allowed only for loopback addresses.'
  return [value, `${value}/`].includes(url.href)
    ? undefined
    : 'Must be a normalized URL: lower-case host, no default port, no . or .. in the path.'
}

function findOriginError(value: string): string | undefined {
  if (value.includes('*')) return 'Must be one exact origin; wildcards (*) are not supported.'
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol))
    return 'Must be an origin, such as https://app.example.com.'
  if (url.origin !== value)
    return 'Must be only scheme, host and port, as browsers send it: lower case, no default port, no path, no trailing slash, internationalized names as xn--.'
  // Content-Security-Policy does not support IPv6 hosts; any other character would end the source or the directive.
  if (!/^[a-z0-9._-]+$/.test(url.hostname)) return 'Must have a host name or an IPv4 address.'
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return 'Must be https. http is allowed only for loopback addresses.'
  return undefined
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
}
