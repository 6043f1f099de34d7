import type { OpenLinkOptions } from './options.ts'

/**
 * The URL of the frame. Values that only this page may know are in the fragment, which is not sent to servers.
 *
 * @throws TypeError when `baseURL` is not an http(s) URL, or `linkId` is missing
 */
export function frameUrl(options: OpenLinkOptions, session: string): URL {
  const { baseURL, linkId, theme } = options
  // Scripts without types can pass anything.
  if (!linkId) throw new TypeError('linkId is missing')
  if (!baseURL) throw new TypeError('baseURL is missing: pass the https URL of your Linchpin')
  const base = new URL(baseURL.endsWith('/') ? baseURL : `${baseURL}/`, location.href)
  if (base.protocol !== 'https:' && base.protocol !== 'http:')
    throw new TypeError('baseURL must be the https URL of your Linchpin')
  const url = new URL(`link/frame/${encodeURIComponent(linkId)}`, base)
  const query = {
    accountIdentifier: options.accountIdentifier,
    redirectURL: options.redirectURL,
    integrationKeys: options.integrationKeys,
    integration: options.integration,
    lang: options.lang,
    theme: theme === 'system' ? undefined : theme,
  }
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') url.searchParams.set(name, value)
  url.hash = new URLSearchParams({ session, origin: location.origin }).toString()
  return url
}
