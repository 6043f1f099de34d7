import { type Html, html } from '../../platform/ui/html.ts'

/**
 * The screen of a customer. An identifier can contain slashes, dots and anything else, and browsers and proxies change such paths,
 * so it is in the query.
 */
export function customerPath(accountIdentifier: string): string {
  return `/console/customer?identifier=${encodeIdentifier(accountIdentifier)}`
}

/** The identifier, as a link to the customer. */
export function customerLink(accountIdentifier: string): Html {
  return html`<a href="${customerPath(accountIdentifier)}"><bdi>${accountIdentifier}</bdi></a>`
}

/** For a query: more than what has to be, so that quotes of a shell can contain it, too. */
export function encodeIdentifier(accountIdentifier: string): string {
  return encodeURIComponent(accountIdentifier).replace(
    /[!'()*.]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
